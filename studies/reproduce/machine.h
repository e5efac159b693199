// Where and when figures were measured.

#pragma once

#include "support/console.h"

namespace conflux::app {

/// Processor, cores, load of the last minute, date and version.
Json machine_json();

/// CPU seconds of the process so far, all threads together.
double cpu_seconds();

}  // namespace conflux::app

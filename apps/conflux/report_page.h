// A report as a file, with a line that says what it says.

#pragma once

#include <string>

#include "conflux/report/report.h"
#include "support/console.h"

namespace conflux::app {

/// Replaces the file as a whole.
void write_report(const std::string& path, const Report& report, double seconds,
                  const Console& console);

}  // namespace conflux::app

// What a method does to options by itself.

#pragma once

#include "options/methods.h"

namespace conflux {

/// Sets what the text says.
void set_all(FitOptions& options, Settings settings);

}  // namespace conflux

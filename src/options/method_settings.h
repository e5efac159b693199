// Options that a method sets by itself, written as text in its row of the table.

#pragma once

#include "options/methods.h"

namespace conflux {

/// Sets every option that `settings` names, as in "layers=1 strength=0.5".
void set_all(FitOptions& options, Settings settings);

}  // namespace conflux

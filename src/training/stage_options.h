// What the stages of the automatic fit (training/automatic.h) are fitted with: the options of the
// whole fit, less those that a stage does not use.

#pragma once

#include "conflux/options/options.h"

namespace conflux {

FitOptions sliced_options(const FitOptions& resolved);
FitOptions conditional_options(const FitOptions& resolved);
FitOptions tree_options(const FitOptions& resolved);

}  // namespace conflux

// Options of the stages of the automatic fit (training/automatic.h): those of the whole fit,
// without those that a stage does not use.

#pragma once

#include "conflux/options/options.h"

namespace conflux {

FitOptions sliced_options(const FitOptions& resolved);
FitOptions conditional_options(const FitOptions& resolved);
FitOptions tree_options(const FitOptions& resolved);

}  // namespace conflux

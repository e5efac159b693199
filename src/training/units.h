// The units that layers see: those of the data, or normal scores of the unit cube, or what
// covariates leave. Whoever uses the
// flow sees the units of the data. Other scales belong to columns (conflux/columns/columns.h).

#pragma once

#include <vector>

#include "fitting/layer_kinds.h"

namespace conflux {

struct Units {
  std::vector<LayerPointer> entering;
  /// Layers that undo them, in the order of a flow: the last that was entered is left first.
  std::vector<LayerPointer> leaving;
};

/// `options` must be resolved, with unit_cube on or off. Gates by covariates see what a linear
/// model of these, with `slopes`, leaves of the features; without slopes there is no such model.
Units units_of(Index dim, const FitOptions& options, const Matrix& slopes = {});

}  // namespace conflux

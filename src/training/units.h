// The units that layers see: those of the data, or normal scores of the unit cube. Whoever uses the
// flow sees the units of the data. Other scales belong to columns (conflux/columns/columns.h).

#pragma once

#include <vector>

#include "fitting/layer_kinds.h"

namespace conflux {

struct Units {
  std::vector<LayerPointer> entering;
  /// What undoes them, in the order of a flow: the last that was entered is left first.
  std::vector<LayerPointer> leaving;
};

/// `options` must be resolved, with unit_cube on or off.
Units units_of(Index dim, const FitOptions& options);

}  // namespace conflux

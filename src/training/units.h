// The units that layers see: those of the data, or normal scores of the unit cube or of features
// over all groups. Whoever uses the flow sees the units of the data.

#pragma once

#include <vector>

#include "conflux/comm/communicator.h"
#include "fitting/layer_kinds.h"

namespace conflux {

struct Units {
  std::vector<LayerPointer> entering;
  /// What undoes them, in the order of a flow: the last that was entered is left first.
  std::vector<LayerPointer> leaving;
};

/// `options` must be resolved, with unit_cube on or off.
Units units_of(const GroupSet& groups, const RowChoice& usable, const FitOptions& options,
               Communicator& comm);

}  // namespace conflux

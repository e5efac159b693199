// Layers that align within clusters.
//
// A gate is chosen first (gates.h). Directions are then searched in what the gate does not see, for
// the largest difference between groups within clusters, and maps are fitted cluster by cluster.

#pragma once

#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "core/rng.h"
#include "fitting/cluster_maps.h"
#include "fitting/gates.h"
#include "fitting/map_detail.h"
#include "flow/gated_layer.h"
#include "slicing/direction_search.h"
#include "stiefel/ascent.h"

namespace conflux {

/// Directions orthogonal to the gate along which groups differ most within clusters, in no order.
/// `shares` are those of all rows.
SearchResult find_gated_directions(const GroupSet& groups, const RowChoice& chosen,
                                   const Gate& gate, const std::vector<Matrix>& shares,
                                   const std::vector<double>& weights, Index directions,
                                   const AscentOptions& ascent, Stream& stream, Communicator& comm,
                                   const Workers& workers);

/// Spread within clusters that remains along `frame`.
double spread_within_clusters(const GroupSet& groups, const RowChoice& chosen,
                              const std::vector<Matrix>& shares, const std::vector<double>& weights,
                              const Frame& frame, Communicator& comm, const Workers& workers);

GatedLayer fit_gated_layer(const GroupSet& groups, const SharedRows& rows, const Frame& frame,
                           const Gate& gate, MapDetail detail, double strength,
                           const GateSettings& settings, const FitOptions& options,
                           Communicator& comm, const Workers& workers);

/// The layer with a map of the only group of `group` towards the barycenters of the clusters.
GatedLayer with_group(const GatedLayer& layer, const GroupSet& group, const RowChoice& chosen,
                      double strength, const GateSettings& settings, const Workers& workers);

}  // namespace conflux

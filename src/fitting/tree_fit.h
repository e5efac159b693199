// Fits tree layers: where a decision tree tells groups apart, mass moves across its cuts.
//
// The tree is grown on the pooled rows. At every node each group knows how its mass divides between
// the two halves of the box; the side of the box that is cut becomes a line with two uniform pieces
// per group, and the groups' maps lead to the barycenter of these lines. Node by node that is a
// greedy choice, not the best map of all that respect the tree.
//
// Cost: a sort of every feature of the search rows per level of the tree, and one pass over the
// rows for the masses.

#pragma once

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "conflux/options/options.h"
#include "fitting/line_maps.h"
#include "flow/tree_layer.h"

namespace conflux {

/// Grows the tree on `search` and counts masses on `maps`. `options` must be resolved. The layer
/// has no nodes when no cut tells the groups apart.
TreeLayer fit_tree_layer(const GroupSet& groups, const RowChoice& search, const RowChoice& maps,
                         double strength, const FitOptions& options, Communicator& comm,
                         const Workers& workers);

/// The layer with maps of the only group of `group` towards the barycenter that the layer knows.
TreeLayer with_group(const TreeLayer& layer, const GroupSet& group, const RowChoice& chosen,
                     double strength, double uniform);

}  // namespace conflux

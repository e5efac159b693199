// Gates: which rows belong to which clusters.
//
// Clusters are the labels of the rows, or are found by matching the groups' clusters
// (matching/matching.h). A gate looks at some random combinations of the directions along
// which rows vary most within their groups. Its centers are those of each cluster in each group,
// and serve rows whose cluster is unknown, new ones above all.

#pragma once

#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "conflux/options/options.h"
#include "core/rng.h"
#include "fitting/line_maps.h"
#include "flow/gated_layer.h"

namespace conflux {

/// Number of directions that gates are mixed from: those of the largest variance. More would be
/// noise, fewer would make all gates similar.
inline constexpr Index kGatingBasis = 30;
/// Shrinkage: at as many rows, a mean and what is expected without it weigh the same.
inline constexpr double kRowsOfDoubt = 5;

struct GateSettings {
  /// Gating directions; the layer's own directions need room beside them.
  Index gating = 10;
  /// Clusters overlap by as much as spheres of their mean width would, times this.
  double softness = 1;
  /// A group with less mass in a cluster, in rows, stays as it is there.
  double min_cluster = 30;
};

/// The cluster of every row of each group, -1 where it is unknown.
struct RowClusters {
  Index count = 0;
  std::vector<std::vector<Index>> of = {};
  /// Part of a row's membership that is fixed to its cluster; the gate distributes the remainder.
  /// Clusters that were found have uncertain borders.
  double certainty = 1;
};

RowClusters clusters_by_label(const GroupSet& groups);

/// As resolved options say, for data with `dim` features. No gating directions: no room for a gate.
GateSettings gate_settings(const FitOptions& options, Index dim);

/// Orthonormal columns along which rows vary most around the means of their groups, largest first;
/// at most `count`.
Matrix gating_basis(const GroupSet& groups, const RowChoice& chosen,
                    const std::vector<double>& weights, Index count, Communicator& comm,
                    const Workers& workers);

/// Directions of a gate: random combinations of the basis.
Frame gating_frame(const Matrix& basis, const GateSettings& settings, Stream& stream);

/// Values of all rows of each group along the columns of a frame. Rows keep their places, so that
/// any choice of them can be looked at without another pass over the data.
std::vector<Matrix> values_along(const Frame& frame, const GroupSet& groups,
                                 const Workers& workers);

/// Centers of the clusters are those of the `chosen` rows, of which `coordinates` has all groups'
/// values along `frame`.
Gate fit_gate(Frame frame, const std::vector<Matrix>& coordinates, const GroupSet& groups,
              const RowChoice& chosen, const RowClusters& clusters, const GateSettings& settings,
              Communicator& comm);

/// Shares of all rows in the clusters, of each group one matrix with a row each. A row whose
/// cluster is known is in it at least as much as that is certain.
std::vector<Matrix> shares_of(const Gate& gate, const std::vector<Matrix>& coordinates,
                              const RowClusters& clusters, const Workers& workers);

/// The gate with centers for the only group of `group`, if every group has its own.
Gate with_group(const Gate& gate, const GroupSet& group, const RowChoice& chosen,
                const Workers& workers);

}  // namespace conflux

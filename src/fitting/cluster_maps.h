// Maps along the lines of a gated layer, cluster by cluster.

#pragma once

#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "fitting/gates.h"
#include "fitting/line_maps.h"
#include "fitting/map_detail.h"

namespace conflux {

/// The chosen rows of every group as the maps of a layer see them.
struct SharedRows {
  std::vector<Matrix> lines;    ///< by group: the values of each row on the layer's lines
  std::vector<Matrix> shares;   ///< by group: how much each row counts in each cluster
  Matrix masses;                ///< of groups in clusters
  Matrix parts;                 ///< of the whole group, what is in each cluster
  std::vector<Matrix> sums;     ///< by group: of the values in each cluster on each line
  std::vector<Matrix> squares;  ///< by group: of their squares
};

/// `lines` and `shares` have all rows of each group in their places.
SharedRows share_rows(const GroupSet& groups, const RowChoice& chosen,
                      const std::vector<Matrix>& lines, const std::vector<Matrix>& shares,
                      Communicator& comm);

/// Rows on the wrong side of a border must not draw the others across: a group that has little of
/// itself in a cluster, compared with the others, takes no part in it.
bool takes_part(const SharedRows& rows, Index group, Index cluster);

/// The weights of some groups, of sum 1.
std::vector<double> subset_weights(const std::vector<double>& weights,
                                   const std::vector<Index>& members);

/// Maps of the groups that have enough rows in a cluster.
struct ClusterMaps {
  std::vector<Index> members = {};
  std::vector<double> weights = {};
  /// The maps that bend, by member.
  LineMaps lines = {};
  /// For each member of the gate, moments of each group along each line, and their common targets.
  std::vector<std::vector<ValueMoments>> moments = {};
  std::vector<ValueMoments> targets = {};

  PiecewiseLinearMap map(std::size_t member, Index line, MapDetail detail, double strength) const;
};

/// A group counts by its weight and by the part of it in the cluster. If no group has `min_cluster`
/// rows, the largest is the only member.
ClusterMaps fit_cluster(const GroupSet& groups, const SharedRows& rows, Index cluster,
                        double min_cluster, double strength, const FitOptions& options,
                        Communicator& comm, const Workers& workers);

/// Differences between the groups' `unseen` rows that remain after maps fitted on the `seen` rows;
/// zeros for a cluster with too few rows to measure it.
std::vector<DetailLosses> losses_of_unseen(const GroupSet& groups, const SharedRows& seen,
                                           const SharedRows& unseen, double min_cluster,
                                           double strength, const FitOptions& options,
                                           Communicator& comm, const Workers& workers);

}  // namespace conflux

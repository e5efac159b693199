// Clusters that do not mix labels, where labels are known.
//
// Few rows may have a label, so a cluster takes one only if its labeled rows clearly agree. A
// cluster whose labels disagree is split into one for each of them, if labels are predictable by
// position: each labeled row is compared with the means of the others. Other labels say nothing
// about rows without one, and the cluster stays whole.
//
// Between processes only sums over rows pass.

#pragma once

#include <vector>

#include "conflux/comm/communicator.h"
#include "matching/k_means.h"

namespace conflux {

struct LabeledPoints {
  const Matrix& points;
  const Vector& masses;
  /// -1 where it is unknown.
  const std::vector<Index>& labels;
};

struct SplitRule {
  /// Rows of a label that can be split off.
  double fewest = 3;
  /// Whether labels must be predictable by position, because known labels serve to predict unknown
  /// ones.
  bool must_be_told = true;
};

/// `found` clusters of the points with their labels, positions below `count`, or split by them.
Clusters split_by_labels(const LabeledPoints& all, Index count, const SplitRule& rule,
                         const Clusters& found, Communicator& comm);

/// For each point the nearest cluster, of its label or of none if its label is known and there is
/// one.
std::vector<Index> nearest_clusters(const Matrix& points, const std::vector<Index>& labels,
                                    const Clusters& clusters);

}  // namespace conflux

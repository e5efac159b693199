// Clusters that do not mix labels, where labels are known.
//
// Few rows may have a label, so a cluster takes one only if its labeled rows clearly agree. A
// cluster whose labels disagree is split into one for each of them, provided that they can be told
// by where their rows lie: each labeled row is compared with the means of the others. Labels that
// cannot be told so say nothing about rows without one, and the cluster stays as it is.
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
  /// Whether labels must be told by where their rows lie: what is known of rows is predicted for
  /// others by it.
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

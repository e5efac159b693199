// Small clusters of groups that lie among each other are drawn together by mutual neighbors.
//
// Partial transport of few clusters finds which parts of groups correspond, but not much about rows
// within those parts. Here a group has many small clusters. Two of different groups are neighbors
// if each is among the nearest twentieth of its group to the other, and no farther than clusters of
// their own groups are from theirs; then they move towards each other. Neighbors in the same group
// move together. A cluster without neighbors in another group has no partner, so clusters which a
// group lacks stay apart. Clusters that are known to have different labels do not meet.
//
// Cost: some products of all clusters with all others; see `fine_clusters_of` for how many.

#pragma once

#include <vector>

#include "conflux/core/parallel.h"
#include "matching/k_means.h"

namespace conflux {

/// How many small clusters a group of so many rows has if there are so many groups; 0: too few to
/// tell more than its parts do.
Index fine_clusters_of(double rows, Index num_groups);

/// Small clusters of each group, and how far those of other groups draw them. Without any, nothing
/// moves.
struct FineCopy {
  std::vector<Clusters> clusters;
  std::vector<Matrix> moves;

  /// Points of a group, each moved with the nearest of its clusters.
  Matrix moved(Index m, Matrix points) const;
};

/// How far the clusters of each group go. Masses of a group have the sum 1.
std::vector<Matrix> meet_neighbors(const std::vector<Clusters>& clusters, const Workers& workers);

}  // namespace conflux

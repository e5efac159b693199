// Whose are the nearest rows of the rows of each cluster?

#pragma once

#include <vector>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

/// Number of nearest rows that are counted.
inline constexpr Index kNearestAsked = 15;

struct ClustersAround {
  /// Clusters by their numbers, of many those with the most rows; empty if there is nothing to
  /// compare: fewer than two clusters, or hardly more rows than neighbors.
  std::vector<Index> clusters = {};
  std::vector<Index> rows = {};
  /// (a, b): the share of rows of cluster b among the nearest rows of those of cluster a.
  Matrix before = {};
  Matrix after = {};
};

/// Clusters are numbered from 0; rows of unknown cluster (-1) are left out.
ClustersAround look_around(const Matrix& before, const Matrix& after, std::vector<Index> cluster_of,
                           Index clusters, const Workers& workers);

}  // namespace conflux

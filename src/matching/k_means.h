// Clusters of points by k-means, on one process or several.
//
// Points may lie on several processes. Each of them reduces its own points to a few centers; those
// are gathered to choose the seeds, and Lloyd's steps then add up sums and masses. No point leaves
// its process, and all processes find the same centers.

#pragma once

#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/matrix.h"
#include "core/rng.h"

namespace conflux {

struct Clusters {
  Matrix centers;  // one row each
  Vector masses;   // of the points nearest to each center, over all processes
  /// Mean squared distance of the points from their centers.
  double spread = 0;
  /// Known label of each of them, or -1; empty without labels.
  std::vector<Index> labels = {};
};

/// Enough for centers that move no more, nearly always.
inline constexpr int kLloydSteps = 25;

/// The rows of all matrices below each other; there must be one.
Matrix stacked(const std::vector<Matrix>& parts);

/// Those that have mass.
Clusters without_empty(Clusters clusters);

/// At most `count` clusters of this process's `points` with `masses` and those of the others; fewer
/// when there are fewer points. The best of `starts` random starts; clusters without mass are left
/// out.
Clusters k_means(const Matrix& points, const Vector& masses, Index count, int starts, Stream stream,
                 Communicator& comm, int steps = kLloydSteps);

/// The clusters that each process has found by itself, those of all processes, with their labels or
/// -1.
Clusters gathered(const Clusters& mine, Communicator& comm);

/// Clusters after at most `steps` of Lloyd's steps from given centers; empty ones stay.
Clusters settle_centers(const Matrix& points, const Vector& masses, Matrix centers, int steps,
                        Communicator& comm);

/// For each point the nearest row of `centers`, the first of equal ones.
std::vector<Index> nearest_centers(const Matrix& points, const Matrix& centers);

}  // namespace conflux

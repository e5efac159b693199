// Counts the separate clusters of a point cloud, as far as the number of rows proves them.
//
// k-means cuts a single cloud as well as separate ones, and rows that chose a line through the
// cloud always seem to leave a gap on it. So rows are split into folds: the others choose the line
// and where on it a valley and two peaks are, the fold counts its rows there. If the cloud has one
// peak along every line, the valley has at least as many rows as the lower peak, whatever the
// shape, and how often fewer fall there by chance is known exactly. Clusters that rows link
// visibly, one neighbor to the next, are one part however the whole is bent.
//
// Parts with less than a twentieth of the rows do not count: they may be a handful of odd rows.
// Two parts of 25 rows each are seen when they are eight deviations apart, of 400 at six.

#pragma once

#include "conflux/comm/communicator.h"
#include "conflux/core/matrix.h"
#include "core/rng.h"

namespace conflux {

/// The number of parts of this process's points and those of the others; the median over some
/// permutations, which `seed` and `which` name. Cost: a few hundred passes over at most 2000
/// points.
Index count_islands(const Matrix& points, std::uint64_t seed, std::uint64_t which,
                    Communicator& comm);

}  // namespace conflux

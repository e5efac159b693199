// The squared 2-Wasserstein distance between two point clouds, solved exactly.
//
// Moving one cloud onto the other at the least total squared distance is a flow problem on a
// complete bipartite graph; the network simplex method finds its optimum. Masses and costs are
// handed to it as integers, so that it always ends and never mistakes rounding for progress: equal
// masses are exact, costs are rounded to 2^-44 of the largest one. The value is then summed from
// the unrounded costs of the optimal plan.
//
// Promise: within 2^-44 of the largest squared distance between the clouds of the true optimum, and
// never below it beyond summation rounding. Cost: about 75 bytes x n n' of memory; time grows a
// little faster than n n', 2000 points take about a second. Larger clouds are cut into blocks,
// whose mean value is an upper estimate of the distance of the whole.

#pragma once

#include <optional>
#include <span>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

struct ExactWassersteinOptions {
  /// Rows per block. Both clouds are cut in their order, the smaller in proportion, and the values
  /// of the blocks are averaged by their sizes. Unset: no cut up to 2000 rows, blocks of 500
  /// beyond. At least the number of rows: never cut.
  std::optional<Index> block = std::nullopt;
};

/// Every row of a cloud has the same mass; the clouds may have different numbers of rows.
double exact_w2_squared(ConstRows x, ConstRows y, const ExactWassersteinOptions& options,
                        const Workers& workers);

/// Rows have masses in proportion to their weights. Weighted clouds are never cut.
double exact_w2_squared(ConstRows x, std::span<const double> x_weights, ConstRows y,
                        std::span<const double> y_weights, const Workers& workers);

}  // namespace conflux

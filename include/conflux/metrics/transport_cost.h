// How far a map moves its samples.
//
// Row i of `to` is the image of row i of `from`; the cost is the mean squared Euclidean length of
// the moves. Over groups it is TC = sum_m w_m mean ||x - T_m(x)||^2. Optimal maps are the cheapest
// ones between two distributions, so among maps that align equally well the smaller cost is better.
//
// Cost: one pass, O(n d).

#pragma once

#include <span>

#include "conflux/core/group_set.h"
#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

/// Mean squared move of paired rows; with `row_weights`, their weighted mean.
double transport_cost(ConstRows from, ConstRows to, const Workers& workers,
                      std::span<const double> row_weights = {});

/// Mean over groups of their transport costs, weighted by `group_weights` (divided by their sum);
/// empty weights count all groups alike.
double transport_cost(std::span<const ConstRows> from, std::span<const ConstRows> to,
                      const Workers& workers, std::span<const double> group_weights = {});

/// The same for groups of the same names in the same order. Rows count by the weights of `from`.
double transport_cost(const GroupSet& from, const GroupSet& to, const Workers& workers,
                      std::span<const double> group_weights = {});

}  // namespace conflux

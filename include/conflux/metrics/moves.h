// How an alignment moved rows, from the rows before and after: how far they went, whether they kept
// their neighbors, and whether the inverse map returns them.

#pragma once

#include <span>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

// How far a map moves its samples.
//
// Row i of `to` is the image of row i of `from`; the cost is the mean squared Euclidean length of
// the moves. Over groups it is TC = sum_m w_m mean ||x - T_m(x)||^2. Optimal maps are the cheapest
// ones between two distributions, so among maps that align equally well the smaller cost is better.
//
// Cost: one pass, O(n d).

/// Mean squared move of paired rows; with `row_weights`, their weighted mean.
double transport_cost(ConstRows from, ConstRows to, const Workers& workers,
                      std::span<const double> row_weights = {});

/// Mean over groups of their transport costs, weighted by `group_weights` (divided by their sum);
/// empty: equal weights.
double transport_cost(std::span<const ConstRows> from, std::span<const ConstRows> to,
                      const Workers& workers, std::span<const double> group_weights = {});

/// The same for groups of the same names in the same order. Rows count by the weights of `from`.
double transport_cost(const GroupSet& from, const GroupSet& to, const Workers& workers,
                      std::span<const double> group_weights = {});

// How many of a row's nearest rows are still its nearest after a move.
//
// Row i of `after` is the image of row i of `before`. 1 where every row keeps its neighbors; what
// is left when all rows are shuffled is count / (n - 1). An alignment that tears a group apart to
// make it look like the others lowers it.
//
// Cost: that of nearest_neighbors(), twice.

inline constexpr Index kNeighborsToKeep = 15;

/// The mean over rows of the fraction of `count` nearest rows that are kept. In groups with fewer
/// rows, `count` is half of them; 1 for a single row.
double neighbors_kept(ConstRows before, ConstRows after, const Workers& workers,
                      Index count = kNeighborsToKeep);

// How well an inverse undoes its map.
//
// Row i of `returned` went through the map and back and should be row i of `original`. Errors are
// differences of single values in standard deviations of their feature over the original rows: an
// offset that all rows share hides no error. A constant feature is measured by its magnitude, one
// of zeros as it is.
//
// Cost: one pass, O(n d).

struct RoundTripError {
  double largest = 0;
  double root_mean_square = 0;
  /// Row with the largest error.
  Index worst_row = 0;
};

RoundTripError round_trip_error(ConstRows original, ConstRows returned);

// The Local Inverse Simpson Index (LISI): the effective number of labels around each row.
//
// The neighbors of a row weigh exp(-beta distance), with beta such that the weights have the given
// perplexity; with p_c the weight of the neighbors of label c, the index is 1 / sum_c p_c^2. It is
// 1 if all neighbors have one label, and the number of labels if all have the same weight. With
// groups as labels (iLISI) it measures how well they mix; groups of unequal sizes mix perfectly
// below the number of groups, so compare with permuted labels. The definition, and its search for
// beta, are those of the method's authors (Korsunsky et al., Nature Methods 16, 2019), figure by
// figure: 3 * perplexity - 1 neighbors, entropy within 1e-5 or 50 halvings.
//
// Cost: that of nearest_neighbors().

struct LisiOptions {
  /// Effective number of neighbors, 1 or more. A table needs at least three times as many rows.
  Index perplexity = 30;
};

/// The index of every row; `kinds` holds any whole number per row.
std::vector<double> lisi(ConstRows rows, std::span<const Index> kinds, const LisiOptions& options,
                         const Workers& workers);

}  // namespace conflux

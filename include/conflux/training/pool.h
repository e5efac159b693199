// Some rows of every group that a fit is content with.
//
// Every row has a random number, named by the seed and by its position in its group. The pool of a
// group holds the rows with the smallest numbers, and the smallest few of every label, so that rare
// labels stay; rows whose numbers come next can judge the fit. Groups that are copies of each other
// have pools that are copies.

#pragma once

#include <cstdint>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/options/row_limit.h"

namespace conflux {

/// Positions of rows, by group and in order.
struct Pool {
  std::vector<std::vector<Index>> fitted = {};
  /// Rows that come next by their numbers: nothing of a fit has seen them.
  std::vector<std::vector<Index>> next = {};
  /// Rows of each group that the pool was drawn from.
  std::vector<Index> sizes = {};

  Index num_fitted() const;
  /// Whether every row is fitted.
  bool whole() const;
};

/// Draws at most so many rows of each group, more only to keep rare labels. Rows without mass do
/// not take part. What a fit does by itself with FitOptions::fit_rows.
Pool draw_pool(const GroupSet& groups, RowLimit rows_per_group, std::uint64_t seed);

}  // namespace conflux

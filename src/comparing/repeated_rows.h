// Rows that repeat others of their group: copies, or several measurements of one subject.
//
// Whoever predicts the group of such a row recognizes its likes among the rows to learn from, and
// tests that count rows count them several times: groups that were assigned at random would seem to
// differ.
//
// Around a row, the rows of its group fill space with some local dimension D: within the r-th part
// of the distance of the k-th neighbor lies each of the nearer ones with probability r^D. Rows
// with a neighbor where hardly any should be have a twin. A table repeats rows if many of them
// have twins in their own group and few have one in another group: equal answers to a few questions
// are found everywhere.
//
// Cost: the distances of some thousand rows of each group.

#pragma once

#include <optional>
#include <vector>

#include "conflux/core/parallel.h"
#include "metrics/judged_rows.h"

namespace conflux {

struct RepeatedRows {
  /// Positions in each group of one row of each set of twins, in order.
  std::vector<std::vector<Index>> once = {};
  /// Rows that were looked at.
  Index rows = 0;
  /// Share of rows with a twin in their group, and, which can only be chance, in another one.
  double share = 0;
  double share_elsewhere = 0;
};

/// So many rows of a group are enough, and quick to compare.
Index rows_to_compare(Index features, Index groups);

/// Empty if rows are not repeated, or if sets of twins run into each other, as those of a series
/// do.
std::optional<RepeatedRows> find_repeated_rows(const JudgedRows& judged, const Workers& workers);

}  // namespace conflux

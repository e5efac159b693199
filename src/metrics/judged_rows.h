// Rows of several groups, one under the other, as judges look at them.

#pragma once

#include <cstdint>
#include <vector>

#include "conflux/core/group_set.h"
#include "core/rng.h"

namespace conflux {

struct JudgedRows {
  Matrix rows = {};
  std::vector<Index> group_of = {};
  /// -1: unknown.
  std::vector<Index> label_of = {};
  /// Rows of each group.
  std::vector<Index> sizes = {};
  /// Where each row stands in its group.
  std::vector<Index> position_of = {};
};

/// At most `per_group` rows of each group, drawn by seed, in their order.
JudgedRows draw_rows(const GroupSet& groups, Index per_group, Purpose purpose, std::uint64_t seed);

/// Centers every feature and divides it by its deviation within groups; by its deviation over all
/// rows where it is constant within groups. Returns the factors.
Vector standardize_within_groups(JudgedRows& judged);

/// Whether all features of these rows, which have such factors, can be taken to have one unit.
bool one_unit(const Matrix& rows, const Vector& factors);

}  // namespace conflux

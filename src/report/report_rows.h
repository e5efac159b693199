// The rows that the pictures of a report are made of, before and after.

#pragma once

#include <cstdint>
#include <vector>

#include "conflux/core/parallel.h"
#include "conflux/flow/flow.h"
#include "metrics/judged_rows.h"

namespace conflux {

struct ReportRows {
  /// Group by group; the rows that check() looks at.
  JudgedRows before = {};
  /// The same in the shared space.
  Matrix after = {};
  /// Deviations of the features within groups before, as factors.
  Vector factors = {};
  /// Position of each group in the flow, and of its first row.
  std::vector<Index> in_flow = {};
  std::vector<Index> begins = {};

  Index groups() const { return static_cast<Index>(before.sizes.size()); }
};

ReportRows draw_report_rows(const Flow& flow, const GroupSet& groups, std::uint64_t seed,
                            const Workers& workers);

/// Positions of at most `most` rows of all groups, of the largest fewer, in their order.
std::vector<Index> choose_rows(const ReportRows& rows, Index most, std::uint64_t seed);

/// Some rows as judges compare them: as they are when features have one unit, otherwise in
/// deviations within groups, before and after each in its own.
struct ComparableRows {
  Matrix before = {};
  Matrix after = {};
  std::vector<Index> group_of = {};
  std::vector<Index> label_of = {};
  std::vector<Index> sizes = {};
};

ComparableRows comparable_rows(const ReportRows& rows, const std::vector<Index>& chosen);

}  // namespace conflux

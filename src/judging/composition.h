// Do groups hold the same kinds of rows? Kinds are labels, or are found by matching the groups.

#pragma once

#include "conflux/core/parallel.h"
#include "conflux/judging/check.h"
#include "judging/judged_rows.h"
#include "matching/matching.h"

namespace conflux {

struct Compositions {
  Matching matching = {};
  Composition kinds = {};
  std::optional<Composition> labels = std::nullopt;
  /// Fraction of the groups' rows near rows of another group.
  double overlap = 0;
};

/// `judged` holds standardised rows of `groups`.
Compositions compare_compositions(const JudgedRows& judged, const GroupSet& groups, Index deals,
                                  std::uint64_t seed, const Workers& workers);

}  // namespace conflux

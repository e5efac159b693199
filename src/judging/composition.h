// Do groups hold the same kinds of rows? Kinds are labels, or cells that are found in the rows.

#pragma once

#include "conflux/core/parallel.h"
#include "conflux/judging/check.h"
#include "judging/judged_rows.h"

namespace conflux {

struct Compositions {
  Composition cells = {};
  std::optional<Composition> labels = std::nullopt;
  /// Fraction of the groups' rows in cells that another group shares.
  double overlap = 1;
};

/// `judged` holds standardised rows; `label_names` may be empty.
Compositions compare_compositions(const JudgedRows& judged,
                                  const std::vector<std::string>& label_names, Index deals,
                                  std::uint64_t seed, const Workers& workers);

}  // namespace conflux

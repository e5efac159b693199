// Sums of functions of ranks, per group and per bin: the innermost loop of a search for the feature
// that tells where groups differ in another one (fitting/evidence.h).
//
// Sums over some rows are one list of numbers: per group the mass and the functions, then the
// squares of these over all groups, and a zero that makes them as many, so that vectors can add
// them.

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "conflux/core/index.h"

namespace conflux::kernels {

inline constexpr Index kRankFunctions = 3;
inline constexpr Index kWidthOfGroup = 1 + kRankFunctions;

constexpr Index width_of_sums(Index groups) { return (groups + 1) * kWidthOfGroup; }

/// The terms that one row adds to sums over ranks.
struct RankTerm {
  RankTerm(Index of_group, double mass, const std::array<double, kRankFunctions>& functions);

  Index group;
  std::array<double, kWidthOfGroup> own = {};
  std::array<double, kWidthOfGroup> squares = {};
};

void add_term(const RankTerm& term, Index groups, double* sums);

/// Adds the term of each row to the sums of the row's bin. `terms` and `rows` belong to each other;
/// `bins` has the bin of every row there is.
void add_terms_by_bin(const std::vector<RankTerm>& terms, const std::vector<Index>& rows,
                      const std::vector<std::uint8_t>& bins, Index groups, double* sums);

}  // namespace conflux::kernels

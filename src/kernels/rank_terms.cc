#include "kernels/rank_terms.h"

namespace conflux::kernels {

RankTerm::RankTerm(Index of_group, double mass, const std::array<double, kRankFunctions>& functions)
    : group(of_group) {
  own[0] = mass;
  for (Index q = 0; q < kRankFunctions; ++q) {
    own[1 + q] = mass * functions[q];
    squares[q] = mass * functions[q] * functions[q];
  }
}

void add_term(const RankTerm& term, Index groups, double* sums) {
  double* own = sums + term.group * kWidthOfGroup;
  double* squares = sums + groups * kWidthOfGroup;
  for (Index k = 0; k < kWidthOfGroup; ++k) own[k] += term.own[k];
  for (Index k = 0; k < kWidthOfGroup; ++k) squares[k] += term.squares[k];
}

void add_terms_by_bin(const std::vector<RankTerm>& terms, const std::vector<Index>& rows,
                      const std::vector<std::uint8_t>& bins, Index groups, double* sums) {
  const Index width = width_of_sums(groups);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    add_term(terms[i], groups, sums + bins[rows[i]] * width);
  }
}

}  // namespace conflux::kernels

// The Local Inverse Simpson Index: how many kinds of rows live around each row.
//
// The neighbours of a row weigh exp(-beta distance), with beta such that the weights have the given
// perplexity; with p_c the weight of the neighbours of kind c, the index is 1 / sum_c p_c^2. It is
// 1 where all neighbours are of one kind and the number of kinds where all weigh the same. With
// batches as kinds (iLISI) it says how well they mix; groups of unequal sizes mix perfectly below
// the number of groups, so compare with labels drawn at random. The definition, and its search for
// beta, are those of the method's authors (Korsunsky et al., Nature Methods 16, 2019), figure by
// figure: 3 * perplexity - 1 neighbours, entropy within 1e-5 or 50 halvings.
//
// Cost: that of nearest_neighbors().

#pragma once

#include <span>
#include <vector>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

struct LisiOptions {
  /// Effective number of neighbours, 1 or more. A table needs at least three times as many rows.
  Index perplexity = 30;
};

/// The index of every row; `kinds` holds any whole number per row.
std::vector<double> lisi(ConstRows rows, std::span<const Index> kinds, const LisiOptions& options,
                         const Workers& workers);

}  // namespace conflux

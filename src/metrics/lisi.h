// LISI of rows whose neighbors are known, and the neighbors that it needs.

#pragma once

#include <span>
#include <vector>

#include "conflux/core/parallel.h"
#include "metrics/nearest_neighbors.h"

namespace conflux {

/// Neighbors of a row for a perplexity.
constexpr Index lisi_neighbors(Index perplexity) { return 3 * perplexity - 1; }

/// The index of every row, see lisi(). Further neighbors than lisi_neighbors() are not read.
std::vector<double> lisi_of(const Neighbors& near, std::span<const Index> kinds, Index perplexity,
                            const Workers& workers);

}  // namespace conflux

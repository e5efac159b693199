// The nearest rows of every row.
//
// Exact: blocks of products find candidates, whose distances are then taken from differences.
//
// Cost: n^2 d multiplications in blocks that stay in cache; memory n k.

#pragma once

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

struct Neighbors {
  /// Row i: the `count` other rows nearest to row i, nearest first; ties in order of position.
  MatrixOf<Index> rows;
  Matrix distances;
};

/// A row is not its own neighbor. Throws InvalidOption when there are not more than `count` rows.
Neighbors nearest_neighbors(ConstRows rows, Index count, const Workers& workers);

}  // namespace conflux

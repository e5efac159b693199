// How many of a row's nearest rows are still its nearest after a move.
//
// Row i of `after` is the image of row i of `before`. 1 where every row keeps its neighbours; what
// is left when all rows are shuffled is count / (n - 1). An alignment that tears a group apart to
// make it look like the others lowers it.
//
// Cost: that of nearest_neighbors(), twice.

#pragma once

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

inline constexpr Index kNeighborsToKeep = 15;

/// The mean over rows of the fraction of `count` nearest rows that are kept. Groups of fewer rows
/// are asked for half of them; of one row, 1.
double neighbors_kept(ConstRows before, ConstRows after, const Workers& workers,
                      Index count = kNeighborsToKeep);

}  // namespace conflux

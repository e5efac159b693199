// Optimal transport that may leave mass where it is.
//
// Mass is shipped in the order of what the next unit costs: successive shortest paths in the
// residual network, whose lengths never fall. A plan that pays `price` for each unit left behind
// therefore ends where the next path costs as much, and the price at which a given fraction is
// shipped is the length of the path that completes it: no search over prices is needed.
//
// Cost: a path is found in the square of the number of sources and sinks, and there are hardly
// more paths than these; 15 x 15 takes some 20 microseconds.

#pragma once

#include "conflux/core/matrix.h"

namespace conflux {

struct PartialPlan {
  Matrix shipped;    // from each source to each sink
  double mass = 0;   // shipped in total
  double price = 0;  // of the last unit shipped; 0 when nothing was
};

/// Ships at least cost until a unit would cost `price` or more, or `most` is shipped. Costs must
/// not be negative; infinite ones forbid a pair.
PartialPlan partial_transport(const Matrix& costs, const Vector& supply, const Vector& demand,
                              double price, double most);

}  // namespace conflux

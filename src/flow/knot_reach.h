// Do rows lie where the maps of a flow were fitted? Beyond its outer knots a map only goes on.
//
// Cost: that of moving the rows, and one comparison per row and map.

#pragma once

#include <vector>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"
#include "conflux/flow/flow.h"

namespace conflux {

struct KnotReach {
  /// Maps on lines that a row passes and that have knots; of all rows, the most.
  Index maps = 0;
  /// For each row, the fraction of its maps whose outer knots it is beyond.
  std::vector<double> beyond = {};
};

/// Counts for rows of one group that move through the flow.
KnotReach knot_reach(const Flow& flow, Index group, const SampleRows& rows, const Workers& workers);

/// The share that 99 of 100 rows stay below or reach.
double most_beyond(std::vector<double> shares);

}  // namespace conflux

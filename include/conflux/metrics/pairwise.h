// A metric between every two of M groups, and its mean.
//
// The mean runs over the M^2 - M ordered pairs of different groups: metrics need not be symmetric,
// and a cloud translated from m to m' is not the reverse of one translated from m' to m. The papers
// divide by other numbers for M > 2, which inflates their figures by up to a factor of 3.
//
// Pairs are measured one after another; the metrics are parallel inside.

#pragma once

#include <functional>
#include <span>

#include "conflux/core/matrix.h"

namespace conflux {

struct Pairwise {
  /// Entry (m, m') is metric(m, m'); the diagonal is 0 and was not measured.
  Matrix values;
  double mean = 0;
};

/// Throws InvalidData for fewer than two groups.
Pairwise pairwise(Index num_groups, const std::function<double(Index, Index)>& metric);

/// The same between given clouds.
Pairwise pairwise(std::span<const ConstRows> clouds,
                  const std::function<double(ConstRows, ConstRows)>& metric);

}  // namespace conflux

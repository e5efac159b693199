// Ranks of values that may be equal.

#pragma once

#include <span>
#include <vector>

namespace conflux {

/// Ranks from 1; equal values share the mean of theirs.
std::vector<double> midranks(std::span<const double> values);

}  // namespace conflux

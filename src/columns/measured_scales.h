// Features as they were measured, for whoever looks for gaps between values, which normal scores
// close, or for values that repeat, which noise has spread.

#pragma once

#include <functional>
#include <vector>

#include "conflux/columns/columns.h"
#include "conflux/core/group_set.h"

namespace conflux {

/// For every feature the way from its coordinates to its values, in units of their spread; values
/// far outside, which heavy tails have, are drawn in. A feature that is no score stays what it is,
/// and so do categories, features of a few numbers, and numbers most of which are the same: those
/// have no gaps that mean anything.
std::vector<MeasuredScale> measured_scales(const Columns& columns);

/// The value that a coordinate of a feature stands for; repeated values that were spread are equal
/// again. It borrows the columns. Empty where none repeat: coordinates have the order of values
/// then.
std::function<double(Index feature, double coordinate)> value_of(const Columns& columns);

}  // namespace conflux

// Numbers that stand for "not measured".
//
// Sensors, surveys and climate models often write -999 or 1e20 where they have no value. Taken for
// a measurement, such a number would be moved by a little and would move all others. A number is
// such a code if people use it as one, if it lies much further from all other values than these lie
// from each other, and if most rows have other values.

#pragma once

#include <span>
#include <vector>

#include "conflux/columns/columns.h"

namespace conflux {

/// The codes among the values, increasing; NaN is skipped. Cost: one pass over a column without
/// codes, a few over one with them.
std::vector<double> find_missing_codes(std::span<const double> values);

/// Whether a number that the fit has not seen is such a code: people use it as one, and it lies far
/// from all values that the groups hold, which `held` spans.
bool is_new_code(const Interval& held, double value);

/// Range of values that every group reaches; empty (low above high) if all cells are missing.
Interval held_by_all(const Feature& feature);

}  // namespace conflux

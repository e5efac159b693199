// One feature by itself, as a check sees it.

#pragma once

#include <vector>

#include "conflux/comparing/check.h"
#include "metrics/judged_rows.h"

namespace conflux {

/// values[i] is that of row i of `judged`. What takes all features together is left unset.
FeatureDifference describe_feature(const std::vector<double>& values, const JudgedRows& judged);

}  // namespace conflux

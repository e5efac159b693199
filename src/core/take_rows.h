// Some rows of every group.

#pragma once

#include <vector>

#include "conflux/core/group_set.h"

namespace conflux {

/// A copy of some rows of each group, with their weights and labels, in their precision.
GroupSet take_rows(const GroupSet& groups, const std::vector<std::vector<Index>>& rows);

/// The same rows without their covariates, borrowed, with their names, weights and labels.
GroupSet without_covariates(const GroupSet& groups);

}  // namespace conflux

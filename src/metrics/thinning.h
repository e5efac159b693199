// How many rows of each group to look at when all are too many.

#pragma once

#include <vector>

#include "conflux/core/index.h"

namespace conflux {

/// The most rows per group with which groups of these sizes have at most `max_rows` together: the
/// largest groups are thinned, small ones stay whole.
Index rows_per_group(const std::vector<Index>& sizes, Index max_rows);

}  // namespace conflux

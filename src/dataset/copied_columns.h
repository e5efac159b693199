// Columns that are copied unchanged and tell the group all the same: aligned features hide nothing
// beside them.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "conflux/dataset/dataset.h"

namespace conflux {

/// Columns of texts, or of few different numbers, that are neither features nor in `known`, and
/// whose value tells the group of clearly more rows than the largest group has. A value tells by
/// the other rows that have it, so that names of rows tell nothing.
std::vector<TellingCopy> find_telling_copies(const Table& table,
                                             const std::vector<std::string>& features,
                                             const std::vector<std::string>& known,
                                             std::span<const Index> groups, Index num_groups);

}  // namespace conflux

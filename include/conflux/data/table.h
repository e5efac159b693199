// The plain tables that ship with conflux: numbers, separated by commas, with a header.
//
// The last column is called "group" and holds the name of the row's group, the others are features.
// There are no quotes, comments or missing values. Numbers are written with the fewest digits that
// read back to the same bits.

#pragma once

#include <filesystem>

#include "conflux/core/group_set.h"

namespace conflux {

/// Groups come in the order of their first rows; rows keep their order. Throws InvalidData that
/// names line and column (both from 1) of what cannot be read.
GroupSet read_csv(const std::filesystem::path& path);

/// Writes group after group. Features without names are called x0, x1, ... Throws InvalidData for
/// what this layout cannot hold: weights, groups without rows, names with commas, quotes or line
/// breaks.
void write_csv(const std::filesystem::path& path, const GroupSet& groups);

}  // namespace conflux

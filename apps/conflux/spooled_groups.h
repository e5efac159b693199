// Groups of tables that are too large for memory: coordinates are written to disk as rows are read.
//
// The files are read twice. A pool of their rows tells what the columns mean and how many rows the
// groups have; then every row becomes coordinates, a block at a time. If no group has more rows
// than a pool draws, the columns, and with them the bits of the fit, are those of the whole table.

#pragma once

#include <functional>

#include "grouped_input.h"

namespace conflux::app {

/// Whether all rows are to be fitted, may be too many for memory, and could be written to disk:
/// without labels, conditions, joined tables and components, and from files that can be read twice.
bool may_be_spooled(const GroupedInputFlags& flags);

/// The flags that read a pool of the rows.
GroupedInputFlags flags_of_pool(GroupedInputFlags flags);

/// The coordinates of a block of rows.
using BlockCoordinates = std::function<Matrix(const Table& block)>;

/// Asks whether rows are to stay on disk, and writes them there: groups of `out`, without names of
/// features. False, and nothing was done, when they fit into memory. Throws InvalidData for a
/// missing cell.
bool spool_groups(const GroupedInputFlags& flags, const TaggedTable& pool,
                  const NumberedGroups& groups, RowSource source, Index dim,
                  const BlockCoordinates& coordinates, const Console& console, GroupedInput& out);

}  // namespace conflux::app

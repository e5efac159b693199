// Groups of tables that are too large for memory: coordinates are written to disk as rows are read.
//
// The files are read twice. A pool of their rows tells what the columns mean and how many rows the
// groups have; then every row becomes coordinates, a block at a time. If no group has more rows
// than a pool draws, the columns, and with them the bits of the fit, are those of the whole table.

#pragma once

#include <functional>
#include <optional>

#include "dataset/group_names.h"
#include "dataset/memory_limit.h"
#include "dataset/table_rows.h"

namespace conflux {

/// Whether all rows are to be fitted, may be too many for memory, and could be written to disk:
/// without labels, conditions, joined tables and components, and from files that can be read twice.
bool may_go_to_disk(const TableFiles& files, const DatasetHooks& hooks);

/// The files with a pool of their rows.
TableFiles files_of_pool(TableFiles files);
/// The files with all rows, which memory holds.
TableFiles files_in_memory(TableFiles files);

/// The coordinates of a block of rows.
using BlockCoordinates = std::function<Matrix(const Table& block)>;

/// A dataset whose rows are on disk, without names of features; unset if they fit into memory.
/// `pool` are the rows by which types of columns were found. Throws InvalidData for a missing cell.
std::optional<Dataset> write_to_disk(const TableFiles& files, const TableRows& pool,
                                     const NumberedGroups& groups, RowSource source, Index dim,
                                     const BlockCoordinates& coordinates,
                                     const MessageCallback& on_message);

}  // namespace conflux

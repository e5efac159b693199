// A table of which every row has a group, as a dataset for a fit.
//
// The numbers are held three times at most between a file and the first layer: as cells of the
// table, as values while the meaning of the columns is found, which are gone before the third, and
// as coordinates of the groups.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conflux/columns/find_columns.h"
#include "conflux/dataset/dataset.h"

namespace conflux {

/// The rows of a table that a fit takes, and what the columns mean.
struct FoundRows {
  FoundColumns found;
  /// Rows that are taken, in the order of the table, and the group of each.
  std::vector<Index> taken;
  std::vector<Index> groups;
  /// The table of these rows; unset if they are all.
  std::optional<Table> complete;
};

/// Finds what the columns mean, and leaves rows with missing cells out if the options say so.
FoundRows find_rows(const Table& table, const RowTags& tags, const ColumnOptions& options,
                    const Workers& workers, const MessageCallback& on_message);

/// The dataset of these rows. Warns of what may be a mistake in the data.
Dataset gather_rows(const Table& table, const RowTags& tags, FoundRows rows,
                    const MessageCallback& on_message);

}  // namespace conflux

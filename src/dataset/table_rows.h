// The files of a dataset as one table, every row with its group.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conflux/dataset/dataset.h"
#include "dataset/group_names.h"
#include "dataset/table_files.h"

namespace conflux {

/// Rows that were sampled from a table.
struct DrawnRows {
  /// Groups in the order of their first rows, and the rows that each had.
  std::vector<std::string> groups = {};
  std::vector<Index> sizes = {};
  /// Whether each row that was drawn is fitted; others judge.
  std::vector<char> fitted = {};
};

struct TableRows {
  Table table;
  /// The group of each row.
  std::vector<std::string> groups;
  /// Unset: these are all rows.
  std::optional<DrawnRows> drawn = std::nullopt;
  /// Columns that tell groups, labels and conditions, and are therefore no features.
  std::vector<std::string> no_features = {};
  /// Columns of the joined table. They tell of the rows, and are features only if they are named.
  std::vector<std::string> joined = {};

  /// Groups in the order of their first rows, drawn or not. Gives the names of the rows' groups
  /// away.
  NumberedGroups take_groups();
};

/// Leaves these rows, and what is known of each.
void keep_rows(TableRows& rows, const std::vector<Index>& kept);

/// Gives all rows to `use`, a block at a time. The files are not joined with another table, and
/// have no condition.
void read_blocks(const TableFiles& files, const MessageCallback& on_message,
                 const std::function<void(TableRows block)>& use);

/// Reads all rows, or those that are drawn of large tables. Throws InvalidData when there are none.
TableRows read_rows(const TableFiles& files, const MessageCallback& on_message);

/// Which rows of the groups are fitted, if they were drawn; positions[m][i] is the row of the table
/// that is row i of group m.
std::optional<Pool> pool_of(const TableRows& rows, const std::vector<std::string>& groups,
                            const std::vector<std::vector<Index>>& positions);

/// Whether this file may do without the column of labels: groups are files, one of which has it.
bool may_lack_label(const DatasetOptions& options, const std::string& path);

}  // namespace conflux

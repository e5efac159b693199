// The files of a dataset, and how they are opened: genes of sparse files become principal
// components.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conflux/components/components.h"
#include "conflux/dataset/dataset.h"
#include "conflux/tables/table.h"

namespace conflux {

/// Rows of a table that are read and written at a time.
inline constexpr Index kRowsOfABlock = 65536;

struct TableFiles {
  DatasetOptions options;
  /// Columns that keep their spelling even if they look like numbers.
  std::vector<std::string> text = {};
  /// Genes become these; null: columns are taken as they are.
  std::shared_ptr<const Components> components = {};
};

/// How files are opened; `group` is the array of an NPZ file that tells the groups, or empty.
TableOptions reading_options(const DatasetOptions& options, const std::string& group);

/// Components of all rows of the files; null when columns are to be taken as they are.
std::shared_ptr<const Components> find_components(const DatasetOptions& options,
                                                  const MessageCallback& on_message);

/// A table whose genes become components, if there are any; otherwise the table itself.
std::unique_ptr<TableReader> open_rows(const std::string& path, const TableOptions& options,
                                       const Components* components);

/// The columns of a file. Their types are not looked for, which would cost a pass over the file.
TableSchema schema_of(const std::string& path, const TableFiles& files);

/// Whether the schema has a column of this name.
bool has_column(const TableSchema& schema, const std::string& name);
/// Removes the names that the schema does not have.
void keep_columns_of(const TableSchema& schema, std::vector<std::string>& names);

}  // namespace conflux

// Which columns of a table a model speaks of.

#pragma once

#include <string>
#include <vector>

#include "conflux/tables/table.h"
#include "conflux/training/model.h"
#include "support/flag.h"

namespace conflux::app {

/// Columns chosen on the command line; empty means what the model says.
struct ColumnFlags {
  std::string group = {};
  std::vector<std::string> features = {};
  /// All rows are of this group; no column is needed.
  std::string from = {};
};

/// --group and --features
std::vector<Flag> column_flags(ColumnFlags& flags);

struct ModelColumns {
  std::vector<std::string> features;
  /// Empty when all rows are of one group.
  std::string group;
};

/// Columns of text files that must be read as numbers: those that the features can be.
std::vector<std::string> numeric_columns(const Model& model, const ColumnFlags& flags);

/// Finds features by name, or by place in files that have no names. `needs_group` asks for a column
/// of groups. Throws InvalidOption with the nearest name and what to do.
ModelColumns find_columns(const TableSchema& schema, const std::string& path, const Model& model,
                          const ColumnFlags& flags, bool needs_group);

}  // namespace conflux::app

// Flags on tables of groups, for all verbs that read them.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "column_choice.h"
#include "conflux/dataset/dataset.h"
#include "support/console.h"
#include "support/flag.h"
#include "table_flags.h"

namespace conflux::app {

struct ComponentFlags {
  /// -1: as many as usual if the table is wide; 0: none.
  Index count = -1;
  std::string normalize;
};

/// --pca and --normalize
std::vector<Flag> component_flags(ComponentFlags& flags);

/// See DatasetOptions.
struct GroupedInputFlags {
  std::vector<std::string> paths;
  InputFlags table;
  std::string group;
  std::string label;
  std::string row_weights;
  std::string where;
  std::string meta;
  std::string meta_key;
  std::vector<std::string> rename;
  /// Names and patterns of columns.
  std::vector<std::string> features;
  std::vector<std::string> drop;
  /// As ColumnOptions::keep.
  std::vector<std::string> keep;
  ColumnChoice choice;
  ComponentFlags pca;
  RowLimit fit_rows = {};
  std::uint64_t seed = 0;
  int threads = 0;
  /// In bytes; 0: no limit.
  double max_memory = 0;
  std::optional<FitOptions> fit_on_disk = {};
  bool fit_in_place = false;
  bool read_only = false;
};

/// Reads the file of --columns, too. Throws InvalidOption or InvalidData.
DatasetOptions dataset_options(const GroupedInputFlags& flags);
/// Messages are shown on the console, and all processes read together.
DatasetHooks dataset_hooks(const Console& console);

/// All files that are read: tables, --meta and --columns.
std::vector<std::string> files_read(const GroupedInputFlags& flags);

/// INPUT: the tables.
Flag tables_flag(GroupedInputFlags& flags);
/// --label
Flag label_flag(GroupedInputFlags& flags, const std::string& help);
/// --drop
Flag drop_flag(GroupedInputFlags& flags);
/// --keep
Flag keep_flag(GroupedInputFlags& flags);
/// --row-weights
Flag row_weights_flag(GroupedInputFlags& flags);
/// --where
Flag where_flag(GroupedInputFlags& flags);
/// --meta, --meta-key and --rename
std::vector<Flag> join_flags(GroupedInputFlags& flags);

/// Prints the type and scale of every column.
void show_columns(const Columns& columns, const Console& console);

}  // namespace conflux::app

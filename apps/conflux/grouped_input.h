// The tables of a command line as groups of samples.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "column_choice.h"
#include "component_input.h"
#include "conflux/columns/columns.h"
#include "conflux/core/group_set.h"
#include "conflux/options/options.h"
#include "conflux/tables/table_groups.h"
#include "conflux/model/model.h"
#include "conflux/training/pool.h"
#include "core/disk_scratch.h"
#include "memory_limit.h"
#include "support/console.h"
#include "tables/npy.h"
#include "tagged_table.h"

namespace conflux::app {

struct GroupedInputFlags : TaggedTableFlags {
  /// Names and patterns of columns.
  std::vector<std::string> features;
  std::vector<std::string> drop;
  ColumnChoice choice;
  ComponentFlags pca;
  /// Asked before all rows are read into memory: whether they stay on disk instead. Empty: they do
  /// not.
  std::function<bool(const DataShape& shape, RowSource source)> stay_on_disk = {};
  /// Whether several processes can fit all rows where they are.
  bool stay_in_place = false;
  /// One process looks at the rows and moves none: those of arrays stay in their files.
  bool only_looks = false;
};

/// INPUT: the tables.
Flag tables_flag(GroupedInputFlags& flags);
/// --label
Flag label_flag(GroupedInputFlags& flags, const std::string& help);
/// --drop
Flag drop_flag(GroupedInputFlags& flags);
/// --where
Flag where_flag(GroupedInputFlags& flags);
/// --meta, --meta-key and --rename
std::vector<Flag> join_flags(TaggedTableFlags& flags);

/// Groups in the order of their first rows.
struct NumberedGroups {
  /// groups[i] is the name of the group of row i. Groups of `order` come first, if they have rows.
  explicit NumberedGroups(const std::vector<std::string>& groups,
                          const std::vector<std::string>& order = {});
  Index count() const { return static_cast<Index>(names.size()); }

  std::vector<std::string> names;
  std::vector<Index> of_row;
  /// Rows of each group.
  std::vector<std::vector<Index>> rows;
};

struct GroupedInput {
  /// Coordinates, with labels if they were asked for.
  GroupSet groups;
  /// Empty when every file was a group.
  std::string group_column;
  /// What the features are components of; empty when they were measured.
  Components components;
  /// What the columns mean; empty when the features of arrays are coordinates themselves.
  Columns columns;
  /// Set if a table has several rows of one thing.
  std::optional<RowsOfThings> things = std::nullopt;
  /// Which rows are fitted and which come next, if they were drawn.
  std::optional<Pool> pool = std::nullopt;
  /// Digest of the rows as a model of theirs would read them. Set only where that is different: a
  /// fit draws what is missing, and later readers expect it.
  std::string digest_when_read = {};
  /// What `groups` borrows rows from: files, or scratch that was written while tables were read.
  std::vector<MappedNpy> mapped;
  std::shared_ptr<DiskScratch> scratch;
  std::vector<std::shared_ptr<void>> spooled;
  /// Whether all rows are there and not in memory.
  bool on_disk = false;
  /// Whether they are all there for several processes, of which each fits a part.
  bool in_place = false;
};

/// With a group column, all files are one table; without one, each file is a group, called by the
/// stem of its name. Columns of text files are what they are found to be, or what the model says.
GroupedInput read_groups(const GroupedInputFlags& flags, const Console& console,
                         const Model* model = nullptr);

/// Says what every column is used as.
void show_columns(const Columns& columns, const Console& console);

}  // namespace conflux::app

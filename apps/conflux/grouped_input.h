// The tables of a command line as groups of samples.

#pragma once

#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/tables/npy.h"
#include "conflux/tables/table_groups.h"
#include "support/console.h"
#include "table_flags.h"

namespace conflux::app {

struct GroupedInputFlags {
  std::vector<std::string> paths;
  InputFlags table;
  std::string group;
  std::string label;
  std::vector<std::string> features;
  std::vector<std::string> drop;
  /// COLUMN=VALUE: only these rows; empty takes all.
  std::string where;
  int threads = 0;
  /// In bytes; reading ends with InvalidData when more would be needed.
  double max_memory = 0;
};

/// INPUT: the tables.
Flag tables_flag(GroupedInputFlags& flags);
/// --label
Flag label_flag(GroupedInputFlags& flags, const std::string& help);
/// --drop
Flag drop_flag(GroupedInputFlags& flags);
/// --where
Flag where_flag(GroupedInputFlags& flags);

struct GroupedInput {
  /// With labels if they were asked for.
  GroupSet groups;
  /// Empty when every file was a group.
  std::string group_column;
  /// Files that `groups` borrows rows from.
  std::vector<MappedNpy> mapped;
};

/// With a group column, all files are one table; without one, each file is a group, called by the
/// stem of its name.
GroupedInput read_groups(const GroupedInputFlags& flags, const Console& console);

/// The name of a file without folders, compression and format: "a/monday.csv.gz" is "monday".
std::string stem_of(const std::string& path);

/// Rows of a table whose column has a value, as COLUMN=VALUE says.
Table rows_where(Table table, const std::string& condition);

/// Bytes that a fit of rows x features needs: the rows and the copy that layers move; in single
/// precision layers move the rows themselves.
double memory_of_fit(Index rows, Index features, bool single);
/// Throws InvalidData that says how much is needed and what to do, unless `limit` is 0.
void check_memory(double needed, double limit);
/// "1.5 GB"
std::string bytes_text(double bytes);
/// Reads "4G", "500M", "1e9"; throws InvalidOption. Empty: what the machine has.
double bytes_from_text(const std::string& text);

}  // namespace conflux::app

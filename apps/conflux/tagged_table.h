// The tables of a command line as one table, every row with its group.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conflux/components/components.h"
#include "conflux/options/row_limit.h"
#include "conflux/tables/table.h"
#include "support/console.h"
#include "table_flags.h"

namespace conflux::app {

/// So many rows of a table are read and written at a time.
inline constexpr Index kRowsOfABlock = 65536;

struct TaggedTableFlags {
  std::vector<std::string> paths;
  InputFlags table;
  /// Columns that tell the groups, with commas: each combination of their values is one. Empty:
  /// every file is a group, called by the stem of its name.
  std::string group;
  std::string label;
  /// Only rows of which this is true, see conditions.h; empty takes all.
  std::string where;
  /// A table with more columns of the same rows, joined by place, or by `meta_key` if that is set;
  /// see meta_columns.h.
  std::string meta;
  std::string meta_key;
  /// FILE=GROUP or OLD=NEW: groups that are called otherwise than their files or cells say.
  std::vector<std::string> rename;
  /// Columns that keep their spelling even if they look like numbers.
  std::vector<std::string> text;
  /// Genes become these; empty: columns are taken as they are.
  std::shared_ptr<const Components> components;
  /// At most so many rows of each group are fitted, drawn by the seed; large tables are not kept
  /// whole then.
  RowLimit fit_rows = {};
  std::uint64_t seed = 0;
  int threads = 0;
  /// In bytes; reading ends with InvalidData when more would be needed. 0: no limit.
  double max_memory = 0;
};

/// What was drawn from the rows of a table.
struct DrawnRows {
  /// Groups in the order of their first rows, and the rows that each had.
  std::vector<std::string> groups = {};
  std::vector<Index> sizes = {};
  /// Whether each row that was drawn is fitted; others judge.
  std::vector<char> fitted = {};
};

struct TaggedTable {
  Table table;
  /// The group of each row.
  std::vector<std::string> groups;
  /// Unset: these are all rows.
  std::optional<DrawnRows> drawn = std::nullopt;
  /// Columns that tell groups, labels and conditions, and are therefore no features.
  std::vector<std::string> no_features = {};
};

/// Rows of the table, and what is known of each.
void keep_rows(TaggedTable& tagged, const std::vector<Index>& kept);

/// Reads all rows, some at a time; conditions and joined tables are not asked for.
void read_blocks(const TaggedTableFlags& flags, const Console& console,
                 const std::function<void(TaggedTable block)>& use);

TaggedTable read_tagged(const TaggedTableFlags& flags, const Console& console);

/// Throws InvalidData when the column tells rows rather than groups.
void refuse_single_rows(std::size_t groups, std::size_t rows, const std::string& source,
                        const std::string& column);

/// The name of a file without folders, compression and format: "a/monday.csv.gz" is "monday".
std::string stem_of(const std::string& path);

/// A group's name after --rename; a star on both sides stands for the same text.
std::string renamed(const std::string& group, const std::vector<std::string>& rename);

/// The group of each row from one column or the combinations of several.
std::vector<std::string> groups_from_columns(const Table& table,
                                             const std::vector<std::string>& columns);

}  // namespace conflux::app

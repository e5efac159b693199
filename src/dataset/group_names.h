// Groups of rows by name.

#pragma once

#include <string>
#include <vector>

#include "conflux/tables/table.h"

namespace conflux {

/// Groups in the order of their first rows.
struct NumberedGroups {
  NumberedGroups() = default;
  /// groups[i] is the name of the group of row i. Groups of `order` come first, if they have rows.
  explicit NumberedGroups(const std::vector<std::string>& groups,
                          const std::vector<std::string>& order = {});
  Index count() const { return static_cast<Index>(names.size()); }

  std::vector<std::string> names;
  std::vector<Index> of_row;
  /// Rows of each group.
  std::vector<std::vector<Index>> rows;
};

/// The group of each row from one column or, separated by commas, the combinations of several.
std::vector<std::string> groups_from_columns(const Table& table, const std::string& columns);

/// A group's name after renaming by OLD=NEW; a star on both sides stands for the same text.
std::string renamed(const std::string& group, const std::vector<std::string>& rename);

/// Throws InvalidData when the column tells rows rather than groups.
void refuse_single_rows(std::size_t groups, std::size_t rows, const std::string& source,
                        const std::string& column);

/// The name of a file without folders, compression and format: "a/monday.csv.gz" is "monday".
std::string stem_of(const std::string& path);

}  // namespace conflux

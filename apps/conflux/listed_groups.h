// Groups of rows in arrays that a table beside them tells row by row: --meta with --group.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "array_groups.h"
#include "tagged_table.h"

namespace conflux::app {

struct ListedGroups {
  /// In the order of their first rows.
  std::vector<ArrayGroup> groups = {};
  /// What each row of each group shows, as a position among the names, or -1; empty: not asked for.
  std::vector<std::vector<Index>> labels = {};
  std::vector<std::string> label_names = {};
};

/// Whether the table tells the groups, and labels if they are asked for: not if one of these is a
/// column of the arrays.
bool tells_groups(const TaggedTableFlags& flags, Index columns_of_arrays);

/// Reads the table a block at a time. Throws InvalidData when it has more rows than the files, or
/// fewer.
ListedGroups listed_groups(const TaggedTableFlags& flags,
                           const std::shared_ptr<const ArrayFiles>& files);

}  // namespace conflux::app

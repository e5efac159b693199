// Groups of the rows of arrays, as a table beside them lists them row by row (DatasetOptions::meta
// with DatasetOptions::group).

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conflux/dataset/dataset.h"
#include "dataset/array_groups.h"

namespace conflux {

struct ArrayGroupList {
  /// In the order of their first rows.
  std::vector<ArrayGroup> groups = {};
  /// For each group, the label of each row as a position among the names, or -1; empty: not
  /// requested.
  std::vector<std::vector<Index>> labels = {};
  std::vector<std::string> label_names = {};
};

/// Whether the table has the groups, and labels if requested: not if one of these is a column of
/// the arrays.
bool tells_groups(const DatasetOptions& options, Index columns_of_arrays);

/// Reads the table a block at a time. Throws InvalidData when it has more rows than the files, or
/// fewer.
ArrayGroupList list_array_groups(const DatasetOptions& options,
                                 const std::shared_ptr<const ArrayFiles>& files);

}  // namespace conflux

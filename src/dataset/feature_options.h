// Which columns are features, as options of a dataset name them.

#pragma once

#include <string>
#include <vector>

#include "conflux/columns/find_columns.h"
#include "conflux/dataset/dataset.h"

namespace conflux {

/// Adds columns that are no features, unless they are there already.
void add_to_dropped(ColumnOptions& options, const std::vector<std::string>& names);

/// The options for the columns of this table: patterns are expanded, and `no_features` dropped.
ColumnOptions feature_options(const DatasetOptions& options, const Table& table,
                              const std::vector<std::string>& no_features);

}  // namespace conflux

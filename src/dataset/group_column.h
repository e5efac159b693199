// Chooses the column of the groups if none is named.

#pragma once

#include "conflux/dataset/dataset.h"
#include "dataset/table_files.h"

namespace conflux {

/// Names the column of the groups if a single table must have one. Throws InvalidOption when it is
/// not clear which one it is.
void find_group_column(TableFiles& files, const DatasetHooks& hooks);

}  // namespace conflux

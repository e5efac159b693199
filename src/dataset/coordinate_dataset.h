// Datasets of files whose numbers are coordinates as they are: no column means anything but itself.

#pragma once

#include "conflux/dataset/dataset.h"
#include "dataset/table_files.h"

namespace conflux {

/// Whether all files are arrays of numbers.
bool are_arrays(const DatasetOptions& options);

Dataset read_coordinates(const TableFiles& files, const DatasetHooks& hooks);

}  // namespace conflux

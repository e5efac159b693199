// The columns of a model as arrays and texts.

#pragma once

#include "conflux/columns/columns.h"
#include "storage/tensor_file.h"

namespace conflux {

/// Adds the arrays to `out` and returns the JSON. Nothing for columns that are empty.
Json write_columns(const Columns& columns, TensorWriter& out);

/// Throws InvalidData unless everything suits a model of so many groups and features.
Columns read_columns(const Json& json, Index num_groups, Index width, TensorFile& file);

}  // namespace conflux

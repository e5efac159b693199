// The components of a model as arrays and texts.

#pragma once

#include "conflux/components/components.h"
#include "storage/tensor_file.h"

namespace conflux {

/// Adds the arrays to `out` and returns the JSON.
Json write_components(const Components& components, TensorWriter& out);

/// Throws InvalidData unless everything suits.
Components read_components(const Json& json, TensorFile& file);

}  // namespace conflux

// Layers of a flow as arrays. docs/file_format.md lists them.
//
// Only what the constructors of layers and maps need is stored; they derive the rest by the same
// sums as during the fit, so a layer comes back with the same bits.

#pragma once

#include <memory>
#include <string>

#include "conflux/flow/layer.h"
#include "storage/json_text.h"
#include "storage/tensor_file.h"

namespace conflux {

/// Adds the arrays of a layer, named `prefix`.something, and returns what kind of layer it is.
/// Throws Error for layers that no fit makes.
OrderedJson write_layer(const Layer& layer, const std::string& prefix, TensorWriter& out);

/// Throws InvalidData unless the arrays make a layer.
std::shared_ptr<const Layer> read_layer(const Json& kind, const std::string& prefix,
                                        Index num_groups, Index dim, TensorFile& file);

}  // namespace conflux

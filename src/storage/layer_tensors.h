// Layers of a flow as arrays, by the table of layer_codecs.h.

#pragma once

#include <memory>
#include <string>

#include "conflux/flow/layer.h"
#include "files/json.h"
#include "storage/tensor_file.h"

namespace conflux {

/// Adds the arrays of a layer, named `prefix`.something, and returns its entry of the header.
/// Throws Error for layers that no fit makes.
Json write_layer(const Layer& layer, const std::string& prefix, TensorWriter& out);

/// Throws InvalidData unless the arrays make a layer.
std::shared_ptr<const Layer> read_layer(const Json& about, const std::string& prefix,
                                        Index num_groups, Index dim, TensorFile& file);

}  // namespace conflux

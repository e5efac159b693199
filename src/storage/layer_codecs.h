// How layers are stored: one row of a table per name that a layer can have (Layer::kind()).
//
// docs/file_format.md lists the arrays. Only the arguments of the constructors of layers and maps
// are stored; they derive all other numbers by the same sums as during the fit, so a layer is
// restored with the same bits.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conflux/flow/layer.h"
#include "stiefel/frame.h"
#include "storage/tensor_file.h"

namespace conflux {

/// Where a layer is written to.
struct LayerSink {
  const std::string& prefix;                  // of the names of its arrays
  std::map<std::string, std::string>& texts;  // texts of the header beside the layer type
  TensorWriter& out;
};

/// Where a layer is read from.
struct LayerSource {
  const std::string& prefix;
  std::map<std::string, std::string>& texts;
  Index groups;
  Index dim;
  TensorFile& file;
};

struct LayerCodec {
  std::string_view kind;
  /// Throws Error for layers that no fit makes.
  void (*write)(const Layer& layer, const LayerSink& sink);
  /// Throws InvalidData unless the arrays make a layer.
  std::shared_ptr<const Layer> (*read)(const LayerSource& source);
};

const std::vector<LayerCodec>& layer_codecs();

/// The rows of the table, each in the file of its kind.
LayerCodec sliced_codec();
LayerCodec coordinate_codec();
LayerCodec location_scale_codec();
LayerCodec affine_codec();
LayerCodec gated_codec();
LayerCodec tree_codec();
LayerCodec conditional_codec();
LayerCodec less_covariates_codec();
LayerCodec plus_covariates_codec();
LayerCodec to_scores_codec();
LayerCodec from_scores_codec();
LayerCodec cube_to_normal_codec();
LayerCodec normal_to_cube_codec();

/// Where nodes of a tree send rows whose feature is missing; unknown in files of version 0.1.0.
std::vector<std::optional<bool>> read_usual_sides(const std::string& prefix, Index nodes,
                                                  TensorFile& file);

void write_frame(const Frame& frame, const std::string& name, TensorWriter& out);
/// At most as many directions as features, orthonormal.
Frame read_frame(const std::string& name, Index dim, TensorFile& file);
/// Frames of a fit are orthonormal to 1e-10.
inline constexpr double kLargestDrift = 1e-8;

}  // namespace conflux

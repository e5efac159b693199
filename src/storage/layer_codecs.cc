#include "storage/layer_codecs.h"

#include "storage/damaged.h"

namespace conflux {

const std::vector<LayerCodec>& layer_codecs() {
  static const std::vector<LayerCodec> table{
      sliced_codec(),         coordinate_codec(),     location_scale_codec(),
      affine_codec(),         gated_codec(),          tree_codec(),
      conditional_codec(),    to_scores_codec(),      from_scores_codec(),
      cube_to_normal_codec(), normal_to_cube_codec(), less_covariates_codec(),
      plus_covariates_codec()};
  return table;
}

void write_frame(const Frame& frame, const std::string& name, TensorWriter& out) {
  const Matrix& columns = frame.columns();
  out.add(name, {frame.dim(), frame.directions()},
          std::vector<double>(columns.data(), columns.data() + columns.size()));
}

std::vector<std::optional<bool>> read_usual_sides(const std::string& prefix, Index nodes,
                                                  TensorFile& file) {
  std::vector<std::optional<bool>> out(static_cast<std::size_t>(nodes));
  const std::string name = prefix + ".usually_below";
  if (!file.has(name)) return out;
  const std::vector<std::int64_t> stored = file.integers(name, {nodes});
  for (std::size_t v = 0; v < stored.size(); ++v) {
    if (stored[v] != 0 && stored[v] != 1) damaged(name, "has entries other than 0 and 1");
    out[v] = stored[v] == 1;
  }
  return out;
}

Frame read_frame(const std::string& name, Index dim, TensorFile& file) {
  const Index directions = file.shape(name, 2)[1];
  if (directions < 1 || directions > dim) damaged(name, "has no or too many directions");
  const std::vector<double> values = file.doubles(name, {dim, directions});
  Frame frame(Matrix(Eigen::Map<const Matrix>(values.data(), dim, directions)));
  if (!(frame.drift() <= kLargestDrift)) damaged(name, "is not orthonormal");
  return frame;
}

}  // namespace conflux

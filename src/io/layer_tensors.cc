#include "io/layer_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conflux/core/error.h"
#include "conflux/flow/affine_layer.h"
#include "conflux/flow/coordinate_layer.h"
#include "conflux/flow/sliced_layer.h"
#include "conflux/flow/unit_cube_layer.h"
#include "io/map_tensors.h"

namespace conflux {

namespace {

// Frames of a fit are orthonormal to 1e-10.
constexpr double kLargestDrift = 1e-8;

[[noreturn]] void damaged(const std::string& prefix, std::string_view what) {
  throw InvalidData(
      fmt::format("\"{}\" {}; the file is damaged: restore a copy, or fit again.", prefix, what));
}

std::vector<double> numbers(const Matrix& matrix) {
  return {matrix.data(), matrix.data() + matrix.size()};
}

Matrix matrix_from(const std::vector<double>& values, Index rows, Index cols) {
  return Eigen::Map<const Matrix>(values.data(), rows, cols);
}

void write_affine(const AffineLayer& layer, const std::string& prefix, TensorWriter& out) {
  const auto groups = static_cast<Index>(layer.maps().size());
  const Index dim = layer.dim();
  std::vector<double> mean, centre, matrix, inverse, log_det;
  for (const AffineLayer::Map& map : layer.maps()) {
    mean.insert(mean.end(), map.mean.begin(), map.mean.end());
    centre.insert(centre.end(), map.centre.begin(), map.centre.end());
    matrix.insert(matrix.end(), map.matrix.data(), map.matrix.data() + map.matrix.size());
    inverse.insert(inverse.end(), map.inverse.data(), map.inverse.data() + map.inverse.size());
    log_det.push_back(map.log_det);
  }
  out.add(prefix + ".mean", {groups, dim}, mean);
  out.add(prefix + ".centre", {groups, dim}, centre);
  out.add(prefix + ".matrix", {groups, dim, dim}, matrix);
  out.add(prefix + ".inverse", {groups, dim, dim}, inverse);
  out.add(prefix + ".log_det", {groups}, log_det);
  if (layer.barycenter().mean.size() == 0) return;
  out.add(prefix + ".barycenter.mean", {dim}, numbers(layer.barycenter().mean));
  out.add(prefix + ".barycenter.covariance", {dim, dim}, numbers(layer.barycenter().covariance));
}

std::shared_ptr<const Layer> read_affine(const std::string& prefix, Index groups, Index dim,
                                         TensorFile& file) {
  const std::vector<double> mean = file.doubles(prefix + ".mean", {groups, dim});
  const std::vector<double> centre = file.doubles(prefix + ".centre", {groups, dim});
  const std::vector<double> matrix = file.doubles(prefix + ".matrix", {groups, dim, dim});
  const std::vector<double> inverse = file.doubles(prefix + ".inverse", {groups, dim, dim});
  const std::vector<double> log_det = file.doubles(prefix + ".log_det", {groups});
  std::vector<AffineLayer::Map> maps;
  for (Index m = 0; m < groups; ++m) {
    maps.push_back({Eigen::Map<const Vector>(mean.data() + m * dim, dim),
                    Eigen::Map<const Vector>(centre.data() + m * dim, dim),
                    Eigen::Map<const Matrix>(matrix.data() + m * dim * dim, dim, dim),
                    Eigen::Map<const Matrix>(inverse.data() + m * dim * dim, dim, dim),
                    log_det[m]});
  }
  AffineLayer::Gaussian barycenter;
  if (file.has(prefix + ".barycenter.mean")) {
    const std::vector<double> place = file.doubles(prefix + ".barycenter.mean", {dim});
    barycenter.mean = Eigen::Map<const Vector>(place.data(), dim);
    barycenter.covariance =
        matrix_from(file.doubles(prefix + ".barycenter.covariance", {dim, dim}), dim, dim);
  }
  return std::make_shared<AffineLayer>(std::move(maps), std::move(barycenter));
}

Frame read_frame(const std::string& prefix, Index dim, TensorFile& file) {
  const std::string name = prefix + ".frame";
  const Index directions = file.shape(name, 2)[1];
  if (directions < 1 || directions > dim) damaged(name, "has no or too many directions");
  Frame frame(matrix_from(file.doubles(name, {dim, directions}), dim, directions));
  if (!(frame.drift() <= kLargestDrift)) damaged(name, "is not orthonormal");
  return frame;
}

std::shared_ptr<const Layer> read_unit_cube(const std::string& prefix, Index dim,
                                            UnitCubeLayer::Way way, TensorFile& file) {
  const double margin = file.doubles(prefix + ".margin", {1}).front();
  if (!(margin > 0 && margin < 0.5)) damaged(prefix + ".margin", "is not between 0 and 1/2");
  return std::make_shared<UnitCubeLayer>(dim, margin, way);
}

std::string text_of(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && found != json.end() && found->is_string() ? found->get<std::string>()
                                                                       : "";
}

}  // namespace

OrderedJson write_layer(const Layer& layer, const std::string& prefix, TensorWriter& out) {
  OrderedJson kind{{"kind", layer.kind()}};
  if (const auto* sliced = dynamic_cast<const SlicedLayer*>(&layer)) {
    out.add(prefix + ".frame", {sliced->frame().dim(), sliced->frame().directions()},
            numbers(sliced->frame().columns()));
    kind["maps"] = write_maps(sliced->maps(), sliced->barycenters(), prefix, out);
  } else if (const auto* coordinate = dynamic_cast<const CoordinateLayer*>(&layer)) {
    kind["maps"] = write_maps(coordinate->maps(), coordinate->barycenters(), prefix, out);
  } else if (const auto* affine = dynamic_cast<const AffineLayer*>(&layer)) {
    write_affine(*affine, prefix, out);
  } else if (const auto* cube = dynamic_cast<const UnitCubeLayer*>(&layer)) {
    out.add(prefix + ".margin", {1}, std::vector<double>{cube->margin()});
  } else {
    throw Error(fmt::format("layers of kind {} cannot be saved.", layer.kind()));
  }
  return kind;
}

std::shared_ptr<const Layer> read_layer(const Json& description, const std::string& prefix,
                                        Index groups, Index dim, TensorFile& file) {
  const std::string kind = text_of(description, "kind");
  const std::string maps = text_of(description, "maps");
  if (kind == "sliced") {
    Frame frame = read_frame(prefix, dim, file);
    LineMaps lines = read_maps(maps, prefix, groups, frame.directions(), file);
    return std::make_shared<SlicedLayer>(std::move(frame), std::move(lines.maps),
                                         std::move(lines.barycenters));
  }
  if (kind == "coordinate") {
    LineMaps lines = read_maps(maps, prefix, groups, dim, file);
    return std::make_shared<CoordinateLayer>(std::move(lines.maps), std::move(lines.barycenters));
  }
  if (kind == "affine") return read_affine(prefix, groups, dim, file);
  if (kind == "cube-to-normal") {
    return read_unit_cube(prefix, dim, UnitCubeLayer::Way::kToNormal, file);
  }
  if (kind == "normal-to-cube") {
    return read_unit_cube(prefix, dim, UnitCubeLayer::Way::kToCube, file);
  }
  damaged(prefix, fmt::format("is a layer of the unknown kind \"{}\"", kind));
}

}  // namespace conflux

// Layers of one matrix per group.

#include "flow/affine_layer.h"
#include "storage/damaged.h"
#include "storage/layer_codecs.h"

namespace conflux {

namespace {

std::vector<double> numbers(const Matrix& matrix) {
  return {matrix.data(), matrix.data() + matrix.size()};
}

void write_affine(const Layer& any, const LayerSink& sink) {
  const auto& layer = dynamic_cast<const AffineLayer&>(any);
  const std::string& prefix = sink.prefix;
  TensorWriter& out = sink.out;
  const auto groups = static_cast<Index>(layer.maps().size());
  const Index dim = layer.dim();
  std::vector<double> mean, center, matrix, inverse, log_det;
  for (const AffineLayer::Map& map : layer.maps()) {
    mean.insert(mean.end(), map.mean.begin(), map.mean.end());
    center.insert(center.end(), map.center.begin(), map.center.end());
    matrix.insert(matrix.end(), map.matrix.data(), map.matrix.data() + map.matrix.size());
    inverse.insert(inverse.end(), map.inverse.data(), map.inverse.data() + map.inverse.size());
    log_det.push_back(map.log_det);
  }
  out.add(prefix + ".mean", {groups, dim}, mean);
  out.add(prefix + ".center", {groups, dim}, center);
  out.add(prefix + ".matrix", {groups, dim, dim}, matrix);
  out.add(prefix + ".inverse", {groups, dim, dim}, inverse);
  out.add(prefix + ".log_det", {groups}, log_det);
  if (layer.barycenter().mean.size() == 0) return;
  out.add(prefix + ".barycenter.mean", {dim}, numbers(layer.barycenter().mean));
  out.add(prefix + ".barycenter.covariance", {dim, dim}, numbers(layer.barycenter().covariance));
  if (!layer.barycenter().shrunken) return;
  const AffineLayer::Shrunken& shared = *layer.barycenter().shrunken;
  out.add(prefix + ".shrunken.spread", {dim}, numbers(shared.spread));
  out.add(prefix + ".shrunken.units", {dim}, numbers(shared.units));
  out.add(prefix + ".shrunken.pooled", {dim, dim}, numbers(shared.pooled));
  out.add(prefix + ".shrunken.degrees", {1}, std::vector<double>{shared.degrees});
  out.add(prefix + ".shrunken.floor", {1}, std::vector<double>{shared.floor});
}

AffineLayer::Shrunken read_shrunken(const std::string& prefix, Index dim, TensorFile& file) {
  const std::vector<double> spread = file.doubles(prefix + ".shrunken.spread", {dim});
  const std::vector<double> units = file.doubles(prefix + ".shrunken.units", {dim});
  const std::vector<double> pooled = file.doubles(prefix + ".shrunken.pooled", {dim, dim});
  const double degrees = file.doubles(prefix + ".shrunken.degrees", {1}).front();
  const double floor = file.doubles(prefix + ".shrunken.floor", {1}).front();
  for (const double each : units) {
    if (!(each > 0)) damaged(prefix + ".shrunken.units", "has entries that are not positive");
  }
  if (!(floor > 0 && floor <= 1)) damaged(prefix + ".shrunken.floor", "is not between 0 and 1");
  return {Eigen::Map<const Vector>(spread.data(), dim), Eigen::Map<const Vector>(units.data(), dim),
          Eigen::Map<const Matrix>(pooled.data(), dim, dim), degrees, floor};
}

std::shared_ptr<const Layer> read_affine(const LayerSource& source) {
  const auto& [prefix, texts, groups, dim, file] = source;
  const std::vector<double> mean = file.doubles(prefix + ".mean", {groups, dim});
  const std::vector<double> center = file.doubles(prefix + ".center", {groups, dim});
  const std::vector<double> matrix = file.doubles(prefix + ".matrix", {groups, dim, dim});
  const std::vector<double> inverse = file.doubles(prefix + ".inverse", {groups, dim, dim});
  const std::vector<double> log_det = file.doubles(prefix + ".log_det", {groups});
  std::vector<AffineLayer::Map> maps;
  for (Index m = 0; m < groups; ++m) {
    maps.push_back({Eigen::Map<const Vector>(mean.data() + m * dim, dim),
                    Eigen::Map<const Vector>(center.data() + m * dim, dim),
                    Eigen::Map<const Matrix>(matrix.data() + m * dim * dim, dim, dim),
                    Eigen::Map<const Matrix>(inverse.data() + m * dim * dim, dim, dim),
                    log_det[m]});
  }
  AffineLayer::Gaussian barycenter;
  if (file.has(prefix + ".barycenter.mean")) {
    const std::vector<double> place = file.doubles(prefix + ".barycenter.mean", {dim});
    barycenter.mean = Eigen::Map<const Vector>(place.data(), dim);
    const std::vector<double> shape = file.doubles(prefix + ".barycenter.covariance", {dim, dim});
    barycenter.covariance = Eigen::Map<const Matrix>(shape.data(), dim, dim);
  }
  if (file.has(prefix + ".shrunken.units")) barycenter.shrunken = read_shrunken(prefix, dim, file);
  return std::make_shared<AffineLayer>(std::move(maps), std::move(barycenter));
}

}  // namespace

LayerCodec affine_codec() { return {"affine", write_affine, read_affine}; }

}  // namespace conflux

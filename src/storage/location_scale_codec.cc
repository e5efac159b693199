// Layers of a location and a scale per group and feature.

#include "flow/location_scale_layer.h"
#include "storage/damaged.h"
#include "storage/layer_codecs.h"

namespace conflux {

namespace {

std::vector<double> numbers(const Vector& vector) { return {vector.begin(), vector.end()}; }

void write_location_scale(const Layer& any, const LayerSink& sink) {
  const auto& layer = dynamic_cast<const LocationScaleLayer&>(any);
  const std::string& prefix = sink.prefix;
  const Index groups = layer.num_groups(), covariates = layer.slopes().rows();
  const Index dim = layer.dim() - covariates;
  std::vector<double> from, to, scale;
  for (const LocationScaleLayer::Map& map : layer.maps()) {
    from.insert(from.end(), map.from.begin(), map.from.end());
    to.insert(to.end(), map.to.begin(), map.to.end());
    scale.insert(scale.end(), map.scale.begin(), map.scale.end());
  }
  sink.out.add(prefix + ".from", {groups, dim}, from);
  sink.out.add(prefix + ".to", {groups, dim}, to);
  sink.out.add(prefix + ".scale", {groups, dim}, scale);
  if (covariates > 0) {
    const Matrix& slopes = layer.slopes();
    sink.out.add(prefix + ".slopes", {covariates, dim},
                 std::vector<double>(slopes.data(), slopes.data() + slopes.size()));
  }
  if (!layer.own_slopes().empty()) {
    std::vector<double> own;
    for (const Matrix& each : layer.own_slopes()) {
      own.insert(own.end(), each.data(), each.data() + each.size());
    }
    sink.out.add(prefix + ".own_slopes", {groups * covariates, dim}, own);
  }
  if (layer.standard().location.size() == 0) return;
  sink.out.add(prefix + ".standard.location", {dim}, numbers(layer.standard().location));
  sink.out.add(prefix + ".standard.spread", {dim}, numbers(layer.standard().spread));
}

std::shared_ptr<const Layer> read_location_scale(const LayerSource& source) {
  const auto& [prefix, texts, groups, width, file] = source;
  const bool given = file.has(prefix + ".slopes");
  const Index covariates = given ? file.shape(prefix + ".slopes", 2)[0] : 0;
  if (covariates < 0 || covariates >= width) damaged(prefix + ".slopes", "has too many rows");
  const Index dim = width - covariates;
  Matrix slopes;
  if (given) {
    const std::vector<double> all = file.doubles(prefix + ".slopes", {covariates, dim});
    slopes = Eigen::Map<const Matrix>(all.data(), covariates, dim);
  }
  std::vector<Matrix> own_slopes;
  if (given && file.has(prefix + ".own_slopes")) {
    const std::vector<double> all =
        file.doubles(prefix + ".own_slopes", {groups * covariates, dim});
    for (Index m = 0; m < groups; ++m) {
      own_slopes.emplace_back(
          Eigen::Map<const Matrix>(all.data() + m * covariates * dim, covariates, dim));
    }
  }
  const std::vector<double> from = file.doubles(prefix + ".from", {groups, dim});
  const std::vector<double> to = file.doubles(prefix + ".to", {groups, dim});
  const std::vector<double> scale = file.doubles(prefix + ".scale", {groups, dim});
  for (const double each : scale) {
    if (!(each > 0)) damaged(prefix + ".scale", "has entries that are not positive");
  }
  std::vector<LocationScaleLayer::Map> maps;
  for (Index m = 0; m < groups; ++m) {
    maps.push_back({Eigen::Map<const Vector>(from.data() + m * dim, dim),
                    Eigen::Map<const Vector>(to.data() + m * dim, dim),
                    Eigen::Map<const Vector>(scale.data() + m * dim, dim)});
  }
  LocationScaleLayer::Standard standard;
  if (file.has(prefix + ".standard.location")) {
    const std::vector<double> location = file.doubles(prefix + ".standard.location", {dim});
    const std::vector<double> spread = file.doubles(prefix + ".standard.spread", {dim});
    standard.location = Eigen::Map<const Vector>(location.data(), dim);
    standard.spread = Eigen::Map<const Vector>(spread.data(), dim);
  }
  return std::make_shared<LocationScaleLayer>(std::move(maps), std::move(standard),
                                              std::move(slopes), std::move(own_slopes));
}

}  // namespace

LayerCodec location_scale_codec() {
  return {"location-scale", write_location_scale, read_location_scale};
}

}  // namespace conflux

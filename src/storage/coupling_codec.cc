// Layers of affine couplings.

#include <algorithm>

#include "flow/coupling_layer.h"
#include "storage/damaged.h"
#include "storage/layer_codecs.h"

namespace conflux {

namespace {

using Standard = CouplingLayer::Standard;

void write_coupling(const Layer& any, const LayerSink& sink) {
  const auto& layer = dynamic_cast<const CouplingLayer&>(any);
  const auto& [prefix, texts, out] = sink;
  const auto groups = layer.num_groups();
  std::vector<std::int64_t> moved;
  for (const CouplingLayer::Mask& mask : layer.masks()) {
    moved.insert(moved.end(), mask.begin(), mask.end());
  }
  std::vector<double> from_mean, from_deviation, to_mean, to_deviation, parameters;
  const auto append = [](std::vector<double>& all, const auto& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (const CouplingLayer::Map& map : layer.maps()) {
    append(from_mean, map.from.mean);
    append(from_deviation, map.from.deviation);
    append(to_mean, map.to.mean);
    append(to_deviation, map.to.deviation);
    for (const std::vector<double>& each : map.parameters) append(parameters, each);
  }
  const Shape of_features{groups, layer.dim()};
  out.add(prefix + ".moved", {static_cast<Index>(layer.masks().size()), layer.dim()}, moved);
  out.add(prefix + ".hidden", {1}, std::vector<std::int64_t>{layer.hidden()});
  out.add(prefix + ".from.mean", of_features, from_mean);
  out.add(prefix + ".from.deviation", of_features, from_deviation);
  out.add(prefix + ".to.mean", of_features, to_mean);
  out.add(prefix + ".to.deviation", of_features, to_deviation);
  out.add(prefix + ".parameters", {groups, static_cast<Index>(parameters.size()) / groups},
          parameters);
}

// A coupling must move some features and look at others.
std::vector<CouplingLayer::Mask> read_masks(const std::string& name, Index dim, TensorFile& file) {
  const Index count = file.shape(name, 2)[0];
  const std::vector<std::int64_t> moved = file.integers(name, {count, dim});
  std::vector<CouplingLayer::Mask> out;
  for (Index c = 0; c < count; ++c) {
    const auto begin = moved.begin() + c * dim;
    const auto ones = std::count(begin, begin + dim, 1);
    if (ones < 1 || ones >= dim || ones + std::count(begin, begin + dim, 0) != dim) {
      damaged(name, "is not a choice of features to move");
    }
    out.emplace_back(begin, begin + dim);
  }
  if (out.empty()) damaged(name, "has no couplings");
  return out;
}

std::vector<Standard> read_standards(const std::string& prefix, Index groups, Index dim,
                                     TensorFile& file) {
  const std::vector<double> mean = file.doubles(prefix + ".mean", {groups, dim});
  const std::vector<double> deviation = file.doubles(prefix + ".deviation", {groups, dim});
  if (!std::all_of(deviation.begin(), deviation.end(), [](double each) { return each > 0; })) {
    damaged(prefix + ".deviation", "is not positive");
  }
  std::vector<Standard> out;
  for (Index m = 0; m < groups; ++m) {
    out.push_back({Eigen::Map<const Vector>(mean.data() + m * dim, dim),
                   Eigen::Map<const Vector>(deviation.data() + m * dim, dim)});
  }
  return out;
}

std::shared_ptr<const Layer> read_coupling(const LayerSource& source) {
  const auto& [prefix, texts, groups, dim, file] = source;
  std::vector<CouplingLayer::Mask> masks = read_masks(prefix + ".moved", dim, file);
  const Index hidden = file.integers(prefix + ".hidden", {1})[0];
  const Index stored = file.shape(prefix + ".parameters", 2)[1];
  // Every hidden value has parameters, so that no size is believed before the numbers are there.
  if (hidden < 1 || hidden > stored) damaged(prefix + ".hidden", "does not suit the parameters");
  std::vector<Index> lengths;
  Index length = 0;
  for (const CouplingLayer::Mask& mask : masks) {
    lengths.push_back(networks::Coupling<double>(mask, hidden).net().num_parameters());
    length += lengths.back();
  }
  const std::vector<double> parameters = file.doubles(prefix + ".parameters", {groups, length});
  std::vector<Standard> from = read_standards(prefix + ".from", groups, dim, file);
  std::vector<Standard> to = read_standards(prefix + ".to", groups, dim, file);
  std::vector<CouplingLayer::Map> maps;
  auto next = parameters.begin();
  for (Index m = 0; m < groups; ++m) {
    maps.push_back({std::move(from[m]), std::move(to[m]), {}});
    for (const Index each : lengths) {
      maps.back().parameters.emplace_back(next, next + each);
      next += each;
    }
  }
  return std::make_shared<CouplingLayer>(std::move(masks), hidden, std::move(maps));
}

}  // namespace

LayerCodec coupling_codec() { return {"coupling", write_coupling, read_coupling}; }

}  // namespace conflux

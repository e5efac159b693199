// Layers with a gate.

#include <algorithm>

#include "flow/gated_layer.h"
#include "storage/damaged.h"
#include "storage/layer_codecs.h"
#include "storage/map_tensors.h"

namespace conflux {

namespace {

void write_gated(const Layer& any, const LayerSink& sink) {
  const auto& layer = dynamic_cast<const GatedLayer&>(any);
  const std::string& prefix = sink.prefix;
  TensorWriter& out = sink.out;
  const Gate& gate = layer.gate();
  write_frame(layer.frame(), prefix + ".frame", out);
  write_frame(gate.frame(), prefix + ".gate.frame", out);
  std::vector<double> centers;
  for (const Matrix& each : gate.centers()) {
    centers.insert(centers.end(), each.data(), each.data() + each.size());
  }
  out.add(prefix + ".gate.centers",
          {static_cast<Index>(gate.centers().size()), gate.clusters(), gate.frame().directions()},
          centers);
  out.add(prefix + ".gate.scale", {1}, std::vector<double>{gate.scale()});
  std::vector<std::vector<MonotoneMap>> maps;
  for (const auto& of_group : layer.maps()) maps.emplace_back(of_group.begin(), of_group.end());
  write_maps(maps, {}, prefix, out);
  if (layer.barycenters().empty()) return;
  std::vector<double> knots;
  std::vector<std::int64_t> offsets{0};
  for (const auto& each : layer.barycenters()) {
    knots.insert(knots.end(), each.begin(), each.end());
    offsets.push_back(static_cast<std::int64_t>(knots.size()));
  }
  out.add(prefix + ".barycenter.offsets", {static_cast<Index>(offsets.size())}, offsets);
  out.add(prefix + ".barycenter.knots", {static_cast<Index>(knots.size())}, knots);
}

Gate read_gate(const std::string& prefix, Index groups, const Frame& beside, TensorFile& file) {
  Frame frame = read_frame(prefix + ".frame", beside.dim(), file);
  const Matrix overlap = frame.columns().transpose() * beside.columns();
  if (!(overlap.cwiseAbs().maxCoeff() <= kLargestDrift)) {
    damaged(prefix + ".frame", "sees what the layer moves");
  }
  const Shape shape = file.shape(prefix + ".centers", 3);
  if ((shape[0] != 1 && shape[0] != groups) || shape[1] < 1 || shape[2] != frame.directions()) {
    damaged(prefix + ".centers", "has the wrong shape");
  }
  const std::vector<double> values = file.doubles(prefix + ".centers", shape);
  std::vector<Matrix> centers;
  for (Index g = 0; g < shape[0]; ++g) {
    centers.push_back(
        Eigen::Map<const Matrix>(values.data() + g * shape[1] * shape[2], shape[1], shape[2]));
  }
  const double scale = file.doubles(prefix + ".scale", {1}).front();
  if (!(scale > 0)) damaged(prefix + ".scale", "is not above 0");
  return Gate(std::move(frame), std::move(centers), scale);
}

std::shared_ptr<const Layer> read_gated(const LayerSource& source) {
  const auto& [prefix, texts, groups, dim, file] = source;
  Frame frame = read_frame(prefix + ".frame", dim, file);
  Gate gate = read_gate(prefix + ".gate", groups, frame, file);
  const Index lines = product_of_sizes(gate.clusters(), frame.directions());
  GatedLayer::Maps maps;
  for (const auto& of_group : read_maps("quantile", prefix, groups, lines, file).maps) {
    maps.emplace_back();
    for (const MonotoneMap& map : of_group) {
      maps.back().push_back(std::get<PiecewiseLinearMap>(map));
    }
  }
  GatedLayer::Barycenters barycenters;
  const std::string name = prefix + ".barycenter";
  if (file.has(name + ".offsets")) {
    const std::vector<std::int64_t> offsets = file.offsets(name + ".offsets", lines);
    const std::vector<double> knots = file.doubles(name + ".knots", {offsets.back()});
    for (Index line = 0; line < lines; ++line) {
      barycenters.emplace_back(knots.begin() + offsets[line], knots.begin() + offsets[line + 1]);
      if (!std::is_sorted(barycenters.back().begin(), barycenters.back().end())) {
        damaged(name + ".knots", "has no knots on a line, or knots that do not increase");
      }
    }
  }
  return std::make_shared<GatedLayer>(std::move(frame), std::move(gate), std::move(maps),
                                      std::move(barycenters));
}

}  // namespace

LayerCodec gated_codec() { return {"gated", write_gated, read_gated}; }

}  // namespace conflux

#include "storage/layer_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "conflux/core/error.h"
#include "flow/affine_layer.h"
#include "flow/coordinate_layer.h"
#include "flow/gated_layer.h"
#include "flow/score_layer.h"
#include "flow/sliced_layer.h"
#include "flow/tree_layer.h"
#include "flow/unit_cube_layer.h"
#include "storage/map_tensors.h"

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

void write_gated(const GatedLayer& layer, const std::string& prefix, TensorWriter& out) {
  const Gate& gate = layer.gate();
  out.add(prefix + ".frame", {layer.frame().dim(), layer.frame().directions()},
          numbers(layer.frame().columns()));
  out.add(prefix + ".gate.frame", {gate.frame().dim(), gate.frame().directions()},
          numbers(gate.frame().columns()));
  std::vector<double> centres;
  for (const Matrix& each : gate.centres()) {
    centres.insert(centres.end(), each.data(), each.data() + each.size());
  }
  out.add(prefix + ".gate.centres",
          {static_cast<Index>(gate.centres().size()), gate.kinds(), gate.frame().directions()},
          centres);
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

Frame read_frame(const std::string& name, Index dim, TensorFile& file) {
  const Index directions = file.shape(name, 2)[1];
  if (directions < 1 || directions > dim) damaged(name, "has no or too many directions");
  Frame frame(matrix_from(file.doubles(name, {dim, directions}), dim, directions));
  if (!(frame.drift() <= kLargestDrift)) damaged(name, "is not orthonormal");
  return frame;
}

Gate read_gate(const std::string& prefix, Index groups, const Frame& beside, TensorFile& file) {
  Frame frame = read_frame(prefix + ".frame", beside.dim(), file);
  const Matrix overlap = frame.columns().transpose() * beside.columns();
  if (!(overlap.cwiseAbs().maxCoeff() <= kLargestDrift)) {
    damaged(prefix + ".frame", "sees what the layer moves");
  }
  const Shape shape = file.shape(prefix + ".centres", 3);
  if ((shape[0] != 1 && shape[0] != groups) || shape[1] < 1 || shape[2] != frame.directions()) {
    damaged(prefix + ".centres", "has the wrong shape");
  }
  const std::vector<double> values = file.doubles(prefix + ".centres", shape);
  std::vector<Matrix> centres;
  for (Index g = 0; g < shape[0]; ++g) {
    centres.push_back(
        Eigen::Map<const Matrix>(values.data() + g * shape[1] * shape[2], shape[1], shape[2]));
  }
  const double scale = file.doubles(prefix + ".scale", {1}).front();
  if (!(scale > 0)) damaged(prefix + ".scale", "is not above 0");
  return Gate(std::move(frame), std::move(centres), scale);
}

std::shared_ptr<const Layer> read_gated(const std::string& prefix, Index groups, Index dim,
                                        TensorFile& file) {
  Frame frame = read_frame(prefix + ".frame", dim, file);
  Gate gate = read_gate(prefix + ".gate", groups, frame, file);
  const Index lines = product_of_sizes(gate.kinds(), frame.directions());
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
      if (barycenters.back().empty() ||
          !std::is_sorted(barycenters.back().begin(), barycenters.back().end())) {
        damaged(name + ".knots", "has no knots on a line, or knots that do not increase");
      }
    }
  }
  return std::make_shared<GatedLayer>(std::move(frame), std::move(gate), std::move(maps),
                                      std::move(barycenters));
}

std::shared_ptr<const Layer> read_unit_cube(const std::string& prefix, Index dim,
                                            UnitCubeLayer::Way way, TensorFile& file) {
  const double margin = file.doubles(prefix + ".margin", {1}).front();
  if (!(margin > 0 && margin < 0.5)) damaged(prefix + ".margin", "is not between 0 and 1/2");
  return std::make_shared<UnitCubeLayer>(dim, margin, way);
}

void write_tree(const TreeLayer& layer, const std::string& prefix, TensorWriter& out) {
  std::vector<std::int64_t> features, axis, children;
  std::vector<double> threshold;
  std::vector<const PiecewiseLinearMap*> charts, maps;
  for (const TreeLayer::Axis& each : layer.axes()) {
    features.push_back(each.feature);
    charts.push_back(&each.chart);
  }
  for (const TreeLayer::Node& node : layer.nodes()) {
    axis.push_back(node.axis);
    threshold.push_back(node.threshold);
    children.insert(children.end(), {node.below, node.above});
  }
  for (const auto& of_group : layer.maps()) {
    for (const PiecewiseLinearMap& map : of_group) maps.push_back(&map);
  }
  const auto nodes = static_cast<Index>(axis.size());
  out.add(prefix + ".features", {static_cast<Index>(features.size())}, features);
  write_piecewise_linear(charts, prefix + ".chart", out);
  out.add(prefix + ".axis", {nodes}, axis);
  out.add(prefix + ".threshold", {nodes}, threshold);
  out.add(prefix + ".children", {nodes, 2}, children);
  write_piecewise_linear(maps, prefix, out);
}

// Each node but the root is the child of one node before it, so paths end.
std::vector<TreeLayer::Node> read_nodes(const std::string& prefix, Index axes, TensorFile& file) {
  const Index count = file.shape(prefix + ".axis", 1)[0];
  const std::vector<std::int64_t> axis = file.integers(prefix + ".axis", {count});
  const std::vector<double> threshold = file.doubles(prefix + ".threshold", {count});
  const std::vector<std::int64_t> children = file.integers(prefix + ".children", {count, 2});
  std::vector<TreeLayer::Node> nodes;
  std::vector<Index> parents(static_cast<std::size_t>(count), 0);
  for (Index v = 0; v < count; ++v) {
    if (axis[v] < 0 || axis[v] >= axes) damaged(prefix + ".axis", "names no axis");
    nodes.push_back({axis[v], threshold[v], children[2 * v], children[2 * v + 1]});
    for (const Index child : {nodes.back().below, nodes.back().above}) {
      if (child == TreeLayer::kLeaf) continue;
      if (child <= v || child >= count) damaged(prefix + ".children", "does not make a tree");
      ++parents[child];
    }
  }
  for (Index v = 1; v < count; ++v) {
    if (parents[v] != 1) damaged(prefix + ".children", "does not make a tree");
  }
  return nodes;
}

// Of one side of a box; infinite where the box has no end.
struct Ends {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

// A map that moved the end of its box would send two points to one place.
void check_node_map(const PiecewiseLinearMap& map, const TreeLayer::Node& node, const Ends& ends,
                    const std::string& prefix) {
  if (!(ends.low < node.threshold && node.threshold < ends.high)) {
    damaged(prefix + ".threshold", "cuts a box where it is not");
  }
  if (map.from().empty()) return;
  const auto stays = [](double end, double from, double to) {
    return from == to && (std::isinf(end) || from == end);
  };
  if (!stays(ends.low, map.from().front(), map.to().front()) ||
      !stays(ends.high, map.from().back(), map.to().back())) {
    damaged(prefix + ".to", "moves the end of a box");
  }
}

// Only the cuts on the way to a node bound its box, so each box is had from its parents.
Ends ends_of(const std::vector<TreeLayer::Node>& nodes, const std::vector<Index>& parents,
             std::size_t v) {
  Ends ends;
  const Index axis = nodes[v].axis;
  for (auto at = static_cast<Index>(v); at > 0; at = parents[at]) {
    const TreeLayer::Node& parent = nodes[parents[at]];
    if (parent.axis != axis) continue;
    if (parent.below == at) {
      ends.high = std::min(ends.high, parent.threshold);
    } else {
      ends.low = std::max(ends.low, parent.threshold);
    }
  }
  return ends;
}

std::shared_ptr<const Layer> read_tree(const std::string& prefix, Index groups, Index dim,
                                       TensorFile& file) {
  const Index num_axes = file.shape(prefix + ".features", 1)[0];
  const std::vector<std::int64_t> features = file.integers(prefix + ".features", {num_axes});
  std::vector<PiecewiseLinearMap> charts = read_piecewise_linear(prefix + ".chart", num_axes, file);
  std::vector<TreeLayer::Axis> axes;
  for (Index a = 0; a < num_axes; ++a) {
    const bool known =
        std::find(features.begin(), features.begin() + a, features[a]) != features.begin() + a;
    if (features[a] < 0 || features[a] >= dim || known) {
      damaged(prefix + ".features", "names no feature, or one twice");
    }
    axes.push_back({features[a], std::move(charts[a])});
  }
  std::vector<TreeLayer::Node> nodes = read_nodes(prefix, num_axes, file);
  std::vector<Index> parents(nodes.size(), 0);
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    for (const Index child : {nodes[v].below, nodes[v].above}) {
      if (child != TreeLayer::kLeaf) parents[child] = static_cast<Index>(v);
    }
  }
  const auto num_nodes = static_cast<Index>(nodes.size());
  std::vector<PiecewiseLinearMap> all =
      read_piecewise_linear(prefix, product_of_sizes(groups, num_nodes), file);
  std::vector<std::vector<PiecewiseLinearMap>> maps(static_cast<std::size_t>(groups));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t v = i % nodes.size();
    check_node_map(all[i], nodes[v], ends_of(nodes, parents, v), prefix);
    maps[i / nodes.size()].push_back(std::move(all[i]));
  }
  return std::make_shared<TreeLayer>(dim, std::move(axes), std::move(nodes), std::move(maps));
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
  } else if (const auto* gated = dynamic_cast<const GatedLayer*>(&layer)) {
    write_gated(*gated, prefix, out);
  } else if (const auto* coordinate = dynamic_cast<const CoordinateLayer*>(&layer)) {
    kind["maps"] = write_maps(coordinate->maps(), coordinate->barycenters(), prefix, out);
  } else if (const auto* affine = dynamic_cast<const AffineLayer*>(&layer)) {
    write_affine(*affine, prefix, out);
  } else if (const auto* tree = dynamic_cast<const TreeLayer*>(&layer)) {
    write_tree(*tree, prefix, out);
  } else if (const auto* scores = dynamic_cast<const ScoreLayer*>(&layer)) {
    std::vector<const PiecewiseLinearMap*> maps;
    for (const PiecewiseLinearMap& map : scores->scores()) maps.push_back(&map);
    write_piecewise_linear(maps, prefix, out);
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
    Frame frame = read_frame(prefix + ".frame", dim, file);
    LineMaps lines = read_maps(maps, prefix, groups, frame.directions(), file);
    return std::make_shared<SlicedLayer>(std::move(frame), std::move(lines.maps),
                                         std::move(lines.barycenters));
  }
  if (kind == "coordinate") {
    LineMaps lines = read_maps(maps, prefix, groups, dim, file);
    return std::make_shared<CoordinateLayer>(std::move(lines.maps), std::move(lines.barycenters));
  }
  if (kind == "gated") return read_gated(prefix, groups, dim, file);
  if (kind == "tree") return read_tree(prefix, groups, dim, file);
  if (kind == "affine") return read_affine(prefix, groups, dim, file);
  if (kind == "to-scores" || kind == "from-scores") {
    return std::make_shared<ScoreLayer>(
        read_piecewise_linear(prefix, dim, file),
        kind == "to-scores" ? ScoreLayer::Way::kToScores : ScoreLayer::Way::kFromScores);
  }
  if (kind == "cube-to-normal") {
    return read_unit_cube(prefix, dim, UnitCubeLayer::Way::kToNormal, file);
  }
  if (kind == "normal-to-cube") {
    return read_unit_cube(prefix, dim, UnitCubeLayer::Way::kToCube, file);
  }
  damaged(prefix, fmt::format("is a layer of the unknown kind \"{}\"", kind));
}

}  // namespace conflux

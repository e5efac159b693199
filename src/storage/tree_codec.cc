// Layers of decision trees.

#include <algorithm>
#include <cmath>
#include <limits>

#include "flow/tree_layer.h"
#include "storage/damaged.h"
#include "storage/layer_codecs.h"
#include "storage/map_pieces.h"
#include "storage/map_tensors.h"

namespace conflux {

namespace {

void write_barycenter(const TreeLayer::Barycenter& barycenter, const std::string& prefix,
                      TensorWriter& out) {
  if (barycenter.empty()) return;
  std::vector<double> ranges, values;
  for (const auto& [low, high] : barycenter.ranges) ranges.insert(ranges.end(), {low, high});
  Pieces levels;
  for (const TreeLayer::Line& line : barycenter.lines) {
    levels.add(line.levels);
    values.insert(values.end(), line.values.begin(), line.values.end());
  }
  out.add(prefix + ".ranges", {static_cast<Index>(barycenter.ranges.size()), 2}, ranges);
  out.add(prefix + ".barycenter.offsets", {levels.count() + 1}, levels.offsets);
  out.add(prefix + ".barycenter.levels", {levels.size()}, levels.numbers);
  out.add(prefix + ".barycenter.values", {levels.size()}, values);
}

void write_tree(const Layer& any, const LayerSink& sink) {
  const auto& layer = dynamic_cast<const TreeLayer&>(any);
  const std::string& prefix = sink.prefix;
  TensorWriter& out = sink.out;
  std::vector<std::int64_t> features, axis, children, usual;
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
    if (node.usually_below) usual.push_back(*node.usually_below ? 1 : 0);
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
  if (layer.takes_gaps()) out.add(prefix + ".usually_below", {nodes}, usual);
  write_piecewise_linear(maps, prefix, out);
  write_barycenter(layer.barycenter(), prefix, out);
}

// Each node but the root is the child of one node before it, so paths end.
std::vector<TreeLayer::Node> read_nodes(const std::string& prefix, Index axes, TensorFile& file) {
  const Index count = file.shape(prefix + ".axis", 1)[0];
  const std::vector<std::int64_t> axis = file.integers(prefix + ".axis", {count});
  const std::vector<double> threshold = file.doubles(prefix + ".threshold", {count});
  const std::vector<std::int64_t> children = file.integers(prefix + ".children", {count, 2});
  const auto usual = read_usual_sides(prefix, count, file);
  std::vector<TreeLayer::Node> nodes;
  std::vector<Index> parents(static_cast<std::size_t>(count), 0);
  for (Index v = 0; v < count; ++v) {
    if (axis[v] < 0 || axis[v] >= axes) damaged(prefix + ".axis", "names no axis");
    nodes.push_back({axis[v], threshold[v], children[2 * v], children[2 * v + 1], usual[v]});
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

// The ends of one side of a box; infinite if it is open.
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

// A box that does not hold the cuts of its tree would turn maps of a new group around.
std::vector<TreeLayer::Side> read_ranges(const std::string& name, Index axes,
                                         const std::vector<TreeLayer::Node>& nodes,
                                         TensorFile& file) {
  const std::vector<double> ends = file.doubles(name, {axes, 2});
  std::vector<TreeLayer::Side> out;
  for (Index a = 0; a < axes; ++a) out.push_back({ends[2 * a], ends[2 * a + 1]});
  for (const TreeLayer::Node& node : nodes) {
    const auto& [low, high] = out[static_cast<std::size_t>(node.axis)];
    if (!(low <= node.threshold && node.threshold <= high)) damaged(name, "does not hold a cut");
  }
  return out;
}

// Empty in files of earlier versions.
TreeLayer::Barycenter read_barycenter(const std::string& prefix, Index axes,
                                      const std::vector<TreeLayer::Node>& nodes, TensorFile& file) {
  TreeLayer::Barycenter out;
  if (!file.has(prefix + ".ranges")) return out;
  out.ranges = read_ranges(prefix + ".ranges", axes, nodes, file);
  const std::string name = prefix + ".barycenter";
  const std::vector<std::int64_t> offsets =
      file.offsets(name + ".offsets", static_cast<Index>(nodes.size()));
  const std::vector<double> levels = file.doubles(name + ".levels", {offsets.back()});
  const std::vector<double> values = file.doubles(name + ".values", {offsets.back()});
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    const auto piece = [&](const std::vector<double>& all) {
      return std::vector<double>(all.begin() + offsets[v], all.begin() + offsets[v + 1]);
    };
    out.lines.push_back({piece(levels), piece(values)});
    const auto& [level, value] = out.lines.back();
    const bool inside = level.empty() || (level.front() > 0 && level.back() < 1);
    if (!inside || !std::is_sorted(level.begin(), level.end())) {
      damaged(name + ".levels", "does not increase from 0 to 1");
    }
    if (!std::is_sorted(value.begin(), value.end())) {
      damaged(name + ".values", "has knots that do not increase");
    }
  }
  return out;
}

std::shared_ptr<const Layer> read_tree(const LayerSource& source) {
  const auto& [prefix, texts, groups, dim, file] = source;
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
  TreeLayer::Barycenter barycenter = read_barycenter(prefix, num_axes, nodes, file);
  return std::make_shared<TreeLayer>(dim, std::move(axes), std::move(nodes), std::move(maps),
                                     std::move(barycenter));
}

}  // namespace

LayerCodec tree_codec() { return {"tree", write_tree, read_tree}; }

}  // namespace conflux

// Layers that move one feature by what the others are.

#include <algorithm>

#include "flow/conditional_layer.h"
#include "storage/damaged.h"
#include "storage/layer_codecs.h"
#include "storage/map_pieces.h"
#include "storage/map_tensors.h"

namespace conflux {

namespace {

using Node = ConditionalLayer::Node;

void write_conditional(const Layer& any, const LayerSink& sink) {
  const auto& layer = dynamic_cast<const ConditionalLayer&>(any);
  const auto& [prefix, texts, out] = sink;
  std::vector<std::int64_t> features, children, usual;
  std::vector<double> thresholds;
  for (const Node& node : layer.nodes()) {
    features.push_back(node.feature);
    thresholds.push_back(node.threshold);
    children.insert(children.end(), {node.below, node.above});
    if (node.usually_below) usual.push_back(*node.usually_below ? 1 : 0);
  }
  std::vector<const PiecewiseLinearMap*> maps;
  for (const auto& of_group : layer.maps()) {
    for (const PiecewiseLinearMap& map : of_group) maps.push_back(&map);
  }
  Pieces barycenters;
  std::vector<double> reach;
  for (const ConditionalLayer::Barycenter& each : layer.barycenters()) {
    barycenters.add(each.knots);
    reach.push_back(each.reach);
  }
  const auto nodes = static_cast<Index>(features.size());
  out.add(prefix + ".moved", {1}, std::vector<std::int64_t>{layer.moved()});
  out.add(prefix + ".features", {nodes}, features);
  out.add(prefix + ".threshold", {nodes}, thresholds);
  out.add(prefix + ".children", {nodes, 2}, children);
  if (layer.takes_gaps()) out.add(prefix + ".usually_below", {nodes}, usual);
  write_piecewise_linear(maps, prefix, out);
  out.add(prefix + ".barycenter.offsets", {barycenters.count() + 1}, barycenters.offsets);
  out.add(prefix + ".barycenter.values", {barycenters.size()}, barycenters.numbers);
  out.add(prefix + ".barycenter.reach", {barycenters.count()}, reach);
}

// Each node but the root, and each leaf, is the child of one node before it, so paths end. A tree
// that cut the feature it moves could not be undone.
std::vector<Node> read_nodes(const std::string& prefix, Index dim, Index moved, TensorFile& file) {
  const Index count = file.shape(prefix + ".features", 1)[0];
  const std::vector<std::int64_t> features = file.integers(prefix + ".features", {count});
  const std::vector<double> thresholds = file.doubles(prefix + ".threshold", {count});
  const std::vector<std::int64_t> children = file.integers(prefix + ".children", {count, 2});
  const auto usual = read_usual_sides(prefix, count, file);
  std::vector<Index> parents(static_cast<std::size_t>(2 * count + 1), 0);
  std::vector<Node> nodes;
  for (Index v = 0; v < count; ++v) {
    if (features[v] < 0 || features[v] >= dim || features[v] == moved) {
      damaged(prefix + ".features", "names no feature, or the one that is moved");
    }
    nodes.push_back({features[v], thresholds[v], children[2 * v], children[2 * v + 1], usual[v]});
    for (const Index child : {nodes.back().below, nodes.back().above}) {
      const bool node = child > v && child < count;
      const bool leaf = child < 0 && child >= ConditionalLayer::leaf_name(count);
      if (!node && !leaf) damaged(prefix + ".children", "does not make a tree");
      ++parents[static_cast<std::size_t>(node ? child : count - 1 - child)];
    }
  }
  if (count > 0 &&
      !std::all_of(parents.begin() + 1, parents.end(), [](Index n) { return n == 1; })) {
    damaged(prefix + ".children", "does not make a tree");
  }
  return nodes;
}

std::vector<ConditionalLayer::Barycenter> read_leaf_barycenters(const std::string& name,
                                                                Index leaves, TensorFile& file) {
  const std::vector<std::int64_t> offsets = file.offsets(name + ".offsets", leaves);
  const std::vector<double> values = file.doubles(name + ".values", {offsets.back()});
  const std::vector<double> reach = file.doubles(name + ".reach", {leaves});
  std::vector<ConditionalLayer::Barycenter> out;
  for (Index l = 0; l < leaves; ++l) {
    std::vector<double> knots(values.begin() + offsets[l], values.begin() + offsets[l + 1]);
    if (!std::is_sorted(knots.begin(), knots.end())) {
      damaged(name + ".values", "has knots that do not increase");
    }
    if (!(reach[l] >= 0 && reach[l] <= 1)) damaged(name + ".reach", "is not a fraction");
    out.push_back({std::move(knots), reach[l]});
  }
  return out;
}

std::shared_ptr<const Layer> read_conditional(const LayerSource& source) {
  const auto& [prefix, texts, groups, dim, file] = source;
  const Index moved = file.integers(prefix + ".moved", {1})[0];
  if (moved < 0 || moved >= dim) damaged(prefix + ".moved", "names no feature");
  std::vector<Node> nodes = read_nodes(prefix, dim, moved, file);
  const auto leaves = static_cast<Index>(nodes.size()) + 1;
  std::vector<PiecewiseLinearMap> all =
      read_piecewise_linear(prefix, product_of_sizes(groups, leaves), file);
  std::vector<std::vector<PiecewiseLinearMap>> maps(static_cast<std::size_t>(groups));
  for (std::size_t i = 0; i < all.size(); ++i) {
    maps[i / static_cast<std::size_t>(leaves)].push_back(std::move(all[i]));
  }
  return std::make_shared<ConditionalLayer>(
      dim, moved, std::move(nodes), std::move(maps),
      read_leaf_barycenters(prefix + ".barycenter", leaves, file));
}

}  // namespace

LayerCodec conditional_codec() { return {"conditional", write_conditional, read_conditional}; }

}  // namespace conflux

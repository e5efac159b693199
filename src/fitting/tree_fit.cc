#include "fitting/tree_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fitting/decision_tree.h"
#include "univariate/barycenter.h"
#include "univariate/quantiles.h"

namespace conflux {

namespace {

// No half of a box counts for less than this, and neither does one that takes up less of the side:
// a map through it could not be inverted.
constexpr double kSmallestShare = 1e-6;
// Knots nearer than this fraction of the side are one.
constexpr double kSameKnot = 1e-12;
// Share of the straight line in a chart: gaps between the rows shall not vanish in it.
constexpr double kStraightShare = 0.1;
// Before the features of a packed row.
constexpr Index kPackedHead = 2;

double total_mass(const Group& group, const RowList& chosen, Communicator& comm) {
  double sum = 0;
  for (const Index i : chosen) sum += mass_of(group, i);
  return comm.sum(sum);
}

// Chosen rows of all processes. Groups weigh half by their weights and half evenly, as in a search
// for directions: groups without weight are moved too, and must be seen.
LabeledRows gather_rows(const GroupSet& groups, const RowChoice& chosen,
                        const std::vector<double>& weights, Communicator& comm) {
  const Index dim = groups.dim();
  std::vector<double> packed;
  std::vector<double> buffer;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const double share = 0.5 * (weights[m] + 1 / static_cast<double>(groups.num_groups()));
    const double unit = share / total_mass(groups[m], chosen[m], comm);
    for (const Index i : chosen[m]) {
      packed.insert(packed.end(), {static_cast<double>(m), unit * mass_of(groups[m], i)});
      const double* row = groups[m].rows.row(i, buffer);
      packed.insert(packed.end(), row, row + dim);
    }
  }
  packed = comm.gather(packed);
  const Index width = dim + kPackedHead;
  const auto count = static_cast<Index>(packed.size()) / width;
  const Eigen::Map<const Matrix> all(packed.data(), count, width);
  LabeledRows out{all.rightCols(dim), {}, {}};
  for (Index i = 0; i < count; ++i) {
    out.group.push_back(static_cast<Index>(all(i, 0)));
    out.mass.push_back(all(i, 1));
  }
  return out;
}

using Side = TreeLayer::Side;

// Smallest and largest value of a feature over the rows of all processes.
Side range_of(Index feature, const GroupSet& groups, const RowChoice& search, const RowChoice& maps,
              Communicator& comm) {
  Side range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const RowChoice* chosen : {&search, &maps}) {
    for (Index m = 0; m < groups.num_groups(); ++m) {
      for (const Index i : (*chosen)[m]) {
        range.low = std::min(range.low, groups[m].rows(i, feature));
        range.high = std::max(range.high, groups[m].rows(i, feature));
      }
    }
  }
  comm.min(std::span(&range.low, 1));
  comm.max(std::span(&range.high, 1));
  return range;
}

// The distribution function of the pooled rows, through `knots` equal-mass means, with a little of
// the straight line mixed in. A feature that is cut has a range.
PiecewiseLinearMap fit_chart(const LabeledRows& pool, Index feature, const Side& range,
                             Index knots) {
  std::vector<Index> order(pool.group.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return pool.rows(a, feature) < pool.rows(b, feature); });
  std::vector<double> values, masses, levels;
  for (const Index i : order) {
    values.push_back(pool.rows(i, feature));
    masses.push_back(pool.mass[i]);
  }
  const QuantileSummary summary = summarize(values, masses, static_cast<Index>(values.size()));
  const std::vector<double> means = equal_mass_means(summary, knots);
  for (Index q = 0; q < knots; ++q) {
    const double level = (static_cast<double>(q) + 0.5) / static_cast<double>(knots);
    const double straight = (means[q] - range.low) / (range.high - range.low);
    levels.push_back(std::lerp(level, straight, kStraightShare));
  }
  return map_through(means, levels, range.low, range.high, 1);
}

double image(const PiecewiseLinearMap& map, double x) {
  map.forward({&x, 1}, nullptr);
  return x;
}

// A tree with its charts and their ranges, and for each node the side of its box that it cuts and
// the share of the whole volume that the box has.
struct Structure {
  std::vector<TreeLayer::Axis> axes;
  std::vector<TreeLayer::Node> nodes;
  std::vector<Side> ranges;
  std::vector<Side> sides;
  std::vector<double> volumes;

  double cut_share(std::size_t v) const {
    const double width = sides[v].high - sides[v].low;
    return width > 0 ? (nodes[v].threshold - sides[v].low) / width : 0.5;
  }
  /// Whether there is room on both sides of the cut, so that mass can move.
  bool has_room(std::size_t v) const {
    const double share = cut_share(v);
    return share > kSmallestShare && share < 1 - kSmallestShare;
  }
};

// Follows the boxes from the root down.
void measure_boxes(Structure& tree) {
  std::vector<std::vector<Side>> boxes(tree.nodes.size());
  tree.sides.resize(tree.nodes.size());
  tree.volumes.assign(tree.nodes.size(), 1.0);
  if (!boxes.empty()) boxes[0] = tree.ranges;
  for (std::size_t v = 0; v < tree.nodes.size(); ++v) {
    const TreeLayer::Node& node = tree.nodes[v];
    tree.sides[v] = boxes[v][node.axis];
    const double share = tree.cut_share(v);
    if (node.below != TreeLayer::kLeaf) {
      boxes[node.below] = boxes[v];
      boxes[node.below][node.axis].high = node.threshold;
      tree.volumes[node.below] = tree.volumes[v] * share;
    }
    if (node.above != TreeLayer::kLeaf) {
      boxes[node.above] = boxes[v];
      boxes[node.above][node.axis].low = node.threshold;
      tree.volumes[node.above] = tree.volumes[v] * (1 - share);
    }
  }
}

Structure fit_structure(const GroupSet& groups, const RowChoice& search, const RowChoice& maps,
                        const FitOptions& options, Communicator& comm, const Workers& workers) {
  const LabeledRows pool = gather_rows(groups, search, options.weights.list, comm);
  Structure tree;
  for (const TreeCut& cut :
       grow_tree(pool, groups.num_groups(), options.tree_leaves, options.tree_rows, workers)) {
    const auto same = [&](const TreeLayer::Axis& axis) { return axis.feature == cut.feature; };
    const auto known = std::find_if(tree.axes.begin(), tree.axes.end(), same);
    const auto axis = static_cast<Index>(known - tree.axes.begin());
    if (known == tree.axes.end()) {
      const Side range = range_of(cut.feature, groups, search, maps, comm);
      tree.axes.push_back({cut.feature, fit_chart(pool, cut.feature, range, *options.knots)});
      const PiecewiseLinearMap& chart = tree.axes.back().chart;
      tree.ranges.push_back({image(chart, range.low), image(chart, range.high)});
    }
    tree.nodes.push_back({axis, image(tree.axes[axis].chart, cut.threshold), cut.below, cut.above});
    // By rounding only.
    Side& range = tree.ranges[static_cast<std::size_t>(axis)];
    range.low = std::min(range.low, tree.nodes.back().threshold);
    range.high = std::max(range.high, tree.nodes.back().threshold);
  }
  measure_boxes(tree);
  return tree;
}

// Shares of a group's mass in the two halves of a node's box.
struct Halves {
  double below;
  double above;
};

std::vector<Halves> count_halves(const Group& group, const RowList& chosen, const Structure& tree,
                                 double uniform, Communicator& comm) {
  std::vector<double> counts(2 * tree.nodes.size(), 0.0);
  std::vector<double> point(tree.axes.size());
  for (const Index i : chosen) {
    for (std::size_t a = 0; a < point.size(); ++a) {
      point[a] = image(tree.axes[a].chart, group.rows(i, tree.axes[a].feature));
    }
    for (Index v = tree.nodes.empty() ? TreeLayer::kLeaf : 0; v != TreeLayer::kLeaf;) {
      const TreeLayer::Node& node = tree.nodes[v];
      const bool below = point[node.axis] < node.threshold;
      counts[2 * v + (below ? 0 : 1)] += mass_of(group, i);
      v = below ? node.below : node.above;
    }
  }
  comm.sum(counts);
  const double unit = (1 - uniform) / total_mass(group, chosen, comm);
  std::vector<Halves> out;
  for (std::size_t v = 0; v < tree.nodes.size(); ++v) {
    const double share = tree.cut_share(v);
    out.push_back({unit * counts[2 * v] + uniform * tree.volumes[v] * share,
                   unit * counts[2 * v + 1] + uniform * tree.volumes[v] * (1 - share)});
  }
  return out;
}

// Mass on a side of a box: uniform below the cut and uniform above it.
struct CutLine {
  Side side;
  double cut;
  double below;  // share of the mass

  double quantile(double level) const {
    if (level <= below) return cut - (cut - side.low) * (1 - level / below);
    return cut + (side.high - cut) * ((level - below) / (1 - below));
  }
};

// Weighs the lines of all groups.
TreeLayer::Line barycenter_of(const std::vector<CutLine>& lines,
                              const std::vector<double>& weights) {
  TreeLayer::Line out;
  for (const CutLine& line : lines) out.levels.push_back(line.below);
  std::sort(out.levels.begin(), out.levels.end());
  for (const double level : out.levels) {
    double value = 0;
    for (std::size_t k = 0; k < lines.size(); ++k) value += weights[k] * lines[k].quantile(level);
    out.values.push_back(value);
  }
  return out;
}

// The map of one line to the barycenter; it keeps the ends.
PiecewiseLinearMap map_to(const TreeLayer::Line& barycenter, const CutLine& line, double strength) {
  const Side side = line.side;
  const double gap = kSameKnot * (side.high - side.low);
  std::vector<double> from{side.low}, to{side.low};
  for (std::size_t k = 0; k < barycenter.levels.size(); ++k) {
    const double x = line.quantile(barycenter.levels[k]);
    const double y = std::lerp(x, barycenter.values[k], strength);
    const bool apart =
        x - from.back() > gap && y - to.back() > gap && side.high - x > gap && side.high - y > gap;
    if (!apart) continue;
    from.push_back(x);
    to.push_back(y);
  }
  from.push_back(side.high);
  to.push_back(side.high);
  return {std::move(from), std::move(to)};
}

// A barycenter is straight between its levels, so that one more changes nothing.
void add_level(TreeLayer::Line& barycenter, double level, const Side& side) {
  auto& [levels, values] = barycenter;
  const auto after = std::lower_bound(levels.begin(), levels.end(), level) - levels.begin();
  const auto at = static_cast<std::size_t>(after);
  const bool last = at == levels.size();
  if (!last && levels[at] == level) return;
  const double l0 = at == 0 ? 0.0 : levels[at - 1], l1 = last ? 1.0 : levels[at];
  const double v0 = at == 0 ? side.low : values[at - 1], v1 = last ? side.high : values[at];
  levels.insert(levels.begin() + after, level);
  values.insert(values.begin() + after, std::lerp(v0, v1, (level - l0) / (l1 - l0)));
}

CutLine line_of(const Halves& halves, const Structure& tree, std::size_t v) {
  const auto [below, above] = halves;
  return {tree.sides[v], tree.nodes[v].threshold,
          std::clamp(below / (below + above), kSmallestShare, 1 - kSmallestShare)};
}

}  // namespace

TreeLayer fit_tree_layer(const GroupSet& groups, const RowChoice& search, const RowChoice& maps,
                         double strength, const FitOptions& options, Communicator& comm,
                         const Workers& workers) {
  Structure tree = fit_structure(groups, search, maps, options, comm, workers);
  const auto num_groups = static_cast<std::size_t>(groups.num_groups());
  std::vector<std::vector<Halves>> halves;
  for (std::size_t m = 0; m < num_groups; ++m) {
    halves.push_back(
        count_halves(groups[static_cast<Index>(m)], maps[m], tree, options.tree_uniform, comm));
  }
  for (std::size_t v = 0; v < tree.nodes.size(); ++v) {
    double more_below = 0;
    for (const auto& of_group : halves) more_below += of_group[v].below - of_group[v].above;
    tree.nodes[v].usually_below = more_below > 0;
  }
  std::vector<std::vector<PiecewiseLinearMap>> node_maps(num_groups);
  std::vector<TreeLayer::Line> barycenters(tree.nodes.size());
  for (std::size_t v = 0; v < tree.nodes.size(); ++v) {
    if (!tree.has_room(v)) {
      for (auto& of_group : node_maps) of_group.emplace_back();
      continue;
    }
    std::vector<CutLine> lines;
    std::vector<double> weights;
    for (std::size_t m = 0; m < num_groups; ++m) {
      lines.push_back(line_of(halves[m][v], tree, v));
      weights.push_back(options.weights.list[m] * (halves[m][v].below + halves[m][v].above));
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) weight /= sum;
    barycenters[v] = barycenter_of(lines, weights);
    for (std::size_t m = 0; m < num_groups; ++m) {
      node_maps[m].push_back(map_to(barycenters[v], lines[m], strength));
    }
  }
  return {groups.dim(),
          std::move(tree.axes),
          std::move(tree.nodes),
          std::move(node_maps),
          {std::move(tree.ranges), std::move(barycenters)}};
}

TreeLayer with_group(const TreeLayer& layer, const GroupSet& group, const RowChoice& chosen,
                     double strength, double uniform) {
  Structure tree{layer.axes(), layer.nodes(), layer.barycenter().ranges, {}, {}};
  measure_boxes(tree);
  SelfCommunicator alone;
  const std::vector<Halves> halves = count_halves(group[0], chosen[0], tree, uniform, alone);
  std::vector<PiecewiseLinearMap> added;
  for (std::size_t v = 0; v < tree.nodes.size(); ++v) {
    TreeLayer::Line barycenter = layer.barycenter().lines[v];
    if (barycenter.levels.empty()) {
      added.emplace_back();
      continue;
    }
    const CutLine line = line_of(halves[v], tree, v);
    add_level(barycenter, line.below, line.side);
    added.push_back(map_to(barycenter, line, strength));
  }
  auto maps = layer.maps();
  maps.push_back(std::move(added));
  return {layer.dim(), layer.axes(), layer.nodes(), std::move(maps), layer.barycenter()};
}

}  // namespace conflux

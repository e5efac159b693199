// Do rows lie where the maps were fitted? Beyond its outer knots a map only goes on.

#include <algorithm>
#include <array>

#include "flow/conditional_layer.h"
#include "flow/coordinate_layer.h"
#include "flow/gated_layer.h"
#include "flow/sliced_layer.h"
#include "report/facts.h"

namespace conflux {

namespace {

constexpr Index kBinsOfReach = 20;
constexpr double kFar = 0.25;
constexpr Index kRowsOfABlock = 256;

// Where the knots of a map begin and end; none for maps without knots.
struct Ends {
  double low = 0;
  double high = 0;
  std::size_t knots = 0;
};

template <class Knots>
Ends ends_of_knots(const Knots& map) {
  if (map.from().size() < 2) return {};
  return {map.from().front(), map.from().back(), map.from().size()};
}

Ends ends_of(const MonotoneMap& map) {
  if (const auto* linear = std::get_if<PiecewiseLinearMap>(&map)) return ends_of_knots(*linear);
  if (const auto* spline = std::get_if<RationalQuadraticMap>(&map)) return ends_of_knots(*spline);
  return {};
}

struct Tally {
  std::vector<double> beyond;
  Index maps = 0;
  double expected = 0;

  void ask(const Ends& ends, Index row, double value, bool first) {
    if (ends.knots == 0) return;
    beyond[row] += value < ends.low || value > ends.high ? 1 : 0;
    if (!first) return;
    ++maps;
    // Knots are middles of bins of equal mass: half of the outer bins lies beyond.
    expected += 1.0 / static_cast<double>(ends.knots);
  }
};

// Each row is moved by the map of its leaf; a layer counts as one map.
void ask_leaves(const ConditionalLayer& layer, Index group, const Matrix& rows, Tally& tally) {
  bool first = true;
  for (Index i = 0; i < rows.rows(); ++i) {
    const Index leaf =
        ConditionalLayer::leaf_of(layer.nodes(), [&](Index feature) { return rows(i, feature); });
    const Ends ends = ends_of_knots(layer.maps()[group][leaf]);
    tally.ask(ends, i, rows(i, layer.moved()), first);
    if (ends.knots > 0) first = false;
  }
}

// Lines that a layer moves, one value per row and line, and the ends of the maps there.
void ask_layer(const Layer& layer, Index group, const Matrix& rows, Tally& tally) {
  if (const auto* conditional = dynamic_cast<const ConditionalLayer*>(&layer)) {
    ask_leaves(*conditional, group, rows, tally);
  }
  if (const auto* sliced = dynamic_cast<const SlicedLayer*>(&layer)) {
    const Matrix lines = rows * sliced->frame().columns();
    for (Index k = 0; k < lines.cols(); ++k) {
      const Ends ends = ends_of(sliced->maps()[group][k]);
      for (Index i = 0; i < lines.rows(); ++i) tally.ask(ends, i, lines(i, k), i == 0);
    }
  } else if (const auto* coordinate = dynamic_cast<const CoordinateLayer*>(&layer)) {
    for (Index k = 0; k < rows.cols(); ++k) {
      const Ends ends = ends_of(coordinate->maps()[group][k]);
      for (Index i = 0; i < rows.rows(); ++i) tally.ask(ends, i, rows(i, k), i == 0);
    }
  } else if (const auto* gated = dynamic_cast<const GatedLayer*>(&layer)) {
    const Matrix lines = rows * gated->frame().columns();
    const Matrix gates = rows * gated->gate().frame().columns();
    for (Index i = 0; i < rows.rows(); ++i) {
      Index kind = 0;
      gated->gate().shares(group, gates.row(i).data()).maxCoeff(&kind);
      for (Index k = 0; k < lines.cols(); ++k) {
        const auto& map = gated->maps()[group][kind * lines.cols() + k];
        tally.ask(ends_of_knots(map), i, lines(i, k), i == 0);
      }
    }
  }
}

Tally ask_block(const Flow& flow, Index group, Matrix rows) {
  Tally out{.beyond = std::vector<double>(static_cast<std::size_t>(rows.rows()), 0.0)};
  for (Index l = 0; l < flow.num_layers(); ++l) {
    ask_layer(flow.layer(l), group, rows, out);
    flow.layer(l).forward(group, rows, nullptr);
  }
  for (double& share : out.beyond) share /= static_cast<double>(std::max<Index>(1, out.maps));
  return out;
}

}  // namespace

std::optional<Reach> find_reach(const Flow& flow, const ReportRows& rows, const Workers& workers) {
  struct Block {
    Index group, begin, count;
  };
  std::vector<Block> blocks;
  for (Index m = 0; m < rows.groups(); ++m) {
    for (Index at = 0; at < rows.before.sizes[m]; at += kRowsOfABlock) {
      blocks.push_back(
          {m, rows.begins[m] + at, std::min(kRowsOfABlock, rows.before.sizes[m] - at)});
    }
  }
  std::vector<Tally> tallies(blocks.size());
  workers.for_each(static_cast<Index>(blocks.size()), [&](Index b) {
    const Block& block = blocks[b];
    tallies[b] = ask_block(flow, rows.in_flow[block.group],
                           rows.before.rows.middleRows(block.begin, block.count));
  });
  if (tallies.empty() || tallies.front().maps == 0) return std::nullopt;
  Reach out{.maps = tallies.front().maps, .counts = std::vector<Index>(kBinsOfReach, 0)};
  std::vector<double> shares;
  for (const Tally& tally : tallies) {
    shares.insert(shares.end(), tally.beyond.begin(), tally.beyond.end());
    out.expected +=
        tally.expected / static_cast<double>(tally.maps) * static_cast<double>(tally.beyond.size());
  }
  const auto count = static_cast<double>(shares.size());
  out.expected /= count;
  for (const double share : shares) {
    const auto bin = static_cast<Index>(share * static_cast<double>(kBinsOfReach));
    ++out.counts[std::min(bin, kBinsOfReach - 1)];
    out.far += share > kFar ? 1 / count : 0;
  }
  std::sort(shares.begin(), shares.end());
  out.most = shares[static_cast<std::size_t>(0.99 * (count - 1))];
  return out;
}

}  // namespace conflux

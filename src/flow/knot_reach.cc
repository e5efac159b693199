#include "flow/knot_reach.h"

#include <algorithm>

#include "flow/conditional_layer.h"
#include "flow/coordinate_layer.h"
#include "flow/gated_layer.h"
#include "flow/sliced_layer.h"

namespace conflux {

namespace {

constexpr Index kRowsOfABlock = 256;

// Where the knots of a map begin and end; none for maps without knots.
struct Ends {
  double low = 0;
  double high = 0;
  bool knots = false;
};

template <class Knots>
Ends ends_of_knots(const Knots& map) {
  if (map.from().size() < 2) return {};
  return {map.from().front(), map.from().back(), true};
}

Ends ends_of(const MonotoneMap& map) {
  if (const auto* linear = std::get_if<PiecewiseLinearMap>(&map)) return ends_of_knots(*linear);
  if (const auto* spline = std::get_if<RationalQuadraticMap>(&map)) return ends_of_knots(*spline);
  return {};
}

// For each row, the number of its maps that have knots, and of those whose outer knots it is
// beyond.
struct Count {
  Index asked = 0;
  Index beyond = 0;

  void ask(const Ends& ends, double value) {
    if (!ends.knots) return;
    ++asked;
    beyond += value < ends.low || value > ends.high ? 1 : 0;
  }
};
using Counts = std::vector<Count>;

// Each row is moved by the map of its leaf.
void ask_leaves(const ConditionalLayer& layer, Index group, const Matrix& rows, Counts& counts) {
  for (Index i = 0; i < rows.rows(); ++i) {
    const Index leaf =
        ConditionalLayer::leaf_of(layer.nodes(), [&](Index feature) { return rows(i, feature); });
    counts[i].ask(ends_of_knots(layer.maps()[group][leaf]), rows(i, layer.moved()));
  }
}

// Lines that a layer moves, one value per row and line, and the ends of the maps there.
void ask_layer(const Layer& layer, Index group, const Matrix& rows, Counts& counts) {
  if (const auto* conditional = dynamic_cast<const ConditionalLayer*>(&layer)) {
    ask_leaves(*conditional, group, rows, counts);
  }
  if (const auto* sliced = dynamic_cast<const SlicedLayer*>(&layer)) {
    const Matrix lines = rows * sliced->frame().columns();
    for (Index k = 0; k < lines.cols(); ++k) {
      const Ends ends = ends_of(sliced->maps()[group][k]);
      for (Index i = 0; i < lines.rows(); ++i) counts[i].ask(ends, lines(i, k));
    }
  } else if (const auto* coordinate = dynamic_cast<const CoordinateLayer*>(&layer)) {
    for (Index k = 0; k < rows.cols(); ++k) {
      const Ends ends = ends_of(coordinate->maps()[group][k]);
      for (Index i = 0; i < rows.rows(); ++i) counts[i].ask(ends, rows(i, k));
    }
  } else if (const auto* gated = dynamic_cast<const GatedLayer*>(&layer)) {
    const Matrix lines = rows * gated->frame().columns();
    const Matrix gates = rows * gated->gate().frame().columns();
    for (Index i = 0; i < rows.rows(); ++i) {
      Index kind = 0;
      gated->gate().shares(group, gates.row(i).data()).maxCoeff(&kind);
      for (Index k = 0; k < lines.cols(); ++k) {
        const auto& map = gated->maps()[group][kind * lines.cols() + k];
        counts[i].ask(ends_of_knots(map), lines(i, k));
      }
    }
  }
}

Counts ask_block(const Flow& flow, Index group, Matrix rows) {
  Counts out(static_cast<std::size_t>(rows.rows()));
  for (const auto& layer : flow.moving_layers()) {
    ask_layer(*layer, group, rows, out);
    layer->forward(group, rows, nullptr);
  }
  return out;
}

}  // namespace

KnotReach knot_reach(const Flow& flow, Index group, const SampleRows& rows,
                     const Workers& workers) {
  const Matrix all = rows.to_matrix();
  const Index blocks = (all.rows() + kRowsOfABlock - 1) / kRowsOfABlock;
  std::vector<Counts> parts(static_cast<std::size_t>(blocks));
  workers.for_each(blocks, [&](Index b) {
    const Index at = b * kRowsOfABlock;
    parts[b] = ask_block(flow, group, all.middleRows(at, std::min(kRowsOfABlock, all.rows() - at)));
  });
  KnotReach out;
  for (const Counts& part : parts) {
    for (const auto& [asked, beyond] : part) {
      out.maps = std::max(out.maps, asked);
      out.beyond.push_back(static_cast<double>(beyond) /
                           static_cast<double>(std::max<Index>(1, asked)));
    }
  }
  return out;
}

double most_beyond(std::vector<double> shares) {
  if (shares.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(shares.size() - 1));
  std::nth_element(shares.begin(), shares.begin() + at, shares.end());
  return shares[static_cast<std::size_t>(at)];
}

}  // namespace conflux

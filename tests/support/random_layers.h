// Layers with maps as a fit would make them, from invented samples.

#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/rng.h"
#include "flow/affine_layer.h"
#include "flow/coordinate_layer.h"
#include "flow/gated_layer.h"
#include "flow/location_scale_layer.h"
#include "flow/sliced_layer.h"
#include "flow/tree_layer.h"
#include "univariate/barycenter.h"
#include "univariate/spline_maps.h"

namespace conflux {

enum class MapKind { kQuantile, kHistogram, kSpline };

/// Shape of the samples. Two narrow bumps leave gaps, where quantile maps are a thousand times
/// steeper or flatter than on average and histogram maps up to 1e7 times steeper; one wide bump
/// gives maps of moderate slope.
enum class Bumps { kTwoNarrowBumps, kOneWideBump };

inline std::vector<double> random_line(Bumps bumps, Index rows, Stream& stream) {
  const double left = -2 * stream.uniform(), right = 2 * stream.uniform();
  const double share = stream.uniform(), extra = 0.4 * stream.uniform();
  std::vector<double> values(static_cast<std::size_t>(rows));
  for (double& value : values) {
    value = bumps == Bumps::kOneWideBump
                ? 0.5 * (left + right) + (0.6 + extra) * stream.normal()
                : (stream.uniform() < share ? left : right) + (0.1 + extra) * stream.normal();
  }
  std::sort(values.begin(), values.end());
  return values;
}

/// maps[m][k] of group m on line k, fitted to 400 draws within about [-4, 4] per group.
inline std::vector<std::vector<MonotoneMap>> random_maps(MapKind kind, Bumps bumps, Index groups,
                                                         Index lines, Stream& stream) {
  const Index rows = 400, knots = 25, bins = 20;
  std::vector<std::vector<MonotoneMap>> maps(static_cast<std::size_t>(groups));
  const std::vector<double> weights(maps.size(), 1 / static_cast<double>(groups));
  for (Index line = 0; line < lines; ++line) {
    std::vector<QuantileSummary> summaries;
    std::vector<GroupHistogram> histograms;
    for (Index m = 0; m < groups; ++m) {
      const std::vector<double> values = random_line(bumps, rows, stream);
      summaries.push_back(summarize(values, {}, rows));
      const Eigen::Map<const Vector> sample(values.data(), rows);
      const double mean = sample.mean();
      const double deviation = std::sqrt((sample.array() - mean).square().mean());
      histograms.push_back(
          {mean, deviation, count_in_normal_bins(values, {}, mean, deviation, bins), 0.5 / rows});
    }
    std::vector<MonotoneMap> fitted;
    switch (kind) {
      case MapKind::kQuantile:
        fitted = fit_quantile_maps(summaries, weights, knots, 1);
        break;
      case MapKind::kHistogram:
        fitted = fit_histogram_maps(histograms, weights, {}, 1);
        break;
      case MapKind::kSpline:
        fitted = fit_spline_maps(summaries, weights, knots, 1);
        break;
    }
    for (std::size_t m = 0; m < maps.size(); ++m) maps[m].push_back(fitted[m]);
  }
  return maps;
}

inline SlicedLayer random_sliced_layer(MapKind kind, Bumps bumps, Index groups, Index dim,
                                       Index directions, Stream& stream) {
  Frame frame = Frame::random(dim, directions, stream);
  return {std::move(frame), random_maps(kind, bumps, groups, directions, stream)};
}

/// `own_centers`: every group has centers of its own.
inline GatedLayer random_gated_layer(Bumps bumps, Index groups, Index dim, Index directions,
                                     Index gating, Index kinds, bool own_centers, Stream& stream) {
  const Matrix both = Frame::random(dim, directions + gating, stream).columns();
  std::vector<Matrix> centers;
  for (Index m = 0; m < (own_centers ? groups : 1); ++m) {
    centers.push_back(2 * stream.normal_matrix(kinds, gating));
  }
  std::vector<std::vector<PiecewiseLinearMap>> maps;
  for (const auto& of_group :
       random_maps(MapKind::kQuantile, bumps, groups, kinds * directions, stream)) {
    maps.emplace_back();
    for (const MonotoneMap& map : of_group)
      maps.back().push_back(std::get<PiecewiseLinearMap>(map));
  }
  return {Frame(both.leftCols(directions)),
          Gate(Frame(both.rightCols(gating)), std::move(centers), 2.0), std::move(maps)};
}

inline CoordinateLayer random_coordinate_layer(MapKind kind, Bumps bumps, Index groups, Index dim,
                                               Stream& stream) {
  return CoordinateLayer(random_maps(kind, bumps, groups, dim, stream));
}

/// Scales from 0.1 to 10.
inline LocationScaleLayer random_location_scale_layer(Index groups, Index dim, Stream& stream) {
  std::vector<LocationScaleLayer::Map> maps;
  for (Index m = 0; m < groups; ++m) {
    Vector scales(dim);
    for (double& scale : scales) scale = std::pow(10, 2 * stream.uniform() - 1);
    maps.push_back({stream.normal_matrix(dim, 1), stream.normal_matrix(dim, 1), scales});
  }
  return LocationScaleLayer(std::move(maps));
}

/// Matrices with eigenvalues from 0.1 to 10.
inline AffineLayer random_affine_layer(Index groups, Index dim, Stream& stream) {
  std::vector<AffineLayer::Map> maps;
  for (Index m = 0; m < groups; ++m) {
    const Matrix q = Frame::random(dim, dim, stream).columns();
    Vector scales(dim);
    for (double& scale : scales) scale = std::pow(10, 2 * stream.uniform() - 1);
    maps.push_back({stream.normal_matrix(dim, 1), stream.normal_matrix(dim, 1),
                    q * scales.asDiagonal() * q.transpose(),
                    q * scales.cwiseInverse().asDiagonal() * q.transpose(),
                    scales.array().log().sum()});
  }
  return AffineLayer(std::move(maps));
}

/// A map of [low, high] onto itself with slopes from about 0.1 to 10.
inline PiecewiseLinearMap random_map_of_side(double low, double high, Stream& stream) {
  std::vector<double> from{low}, to{low};
  const double a = 0.1 + 0.3 * stream.uniform(), b = 0.1 + 0.3 * stream.uniform();
  for (const auto& [x, y] : {std::pair(a, b), std::pair(a + 0.4, b + 0.45)}) {
    from.push_back(std::lerp(low, high, x));
    to.push_back(std::lerp(low, high, y));
  }
  from.push_back(high);
  to.push_back(high);
  return {std::move(from), std::move(to)};
}

/// A tree of `leaves` leaves on up to `dim` axes whose charts lead from [-3, 3] to [0, 1].
inline TreeLayer random_tree_layer(Index groups, Index dim, Index leaves, Stream& stream) {
  struct Box {
    std::vector<std::pair<double, double>> sides;
    Index parent = TreeLayer::kLeaf;
    bool below = false;
  };
  std::vector<TreeLayer::Axis> axes;
  for (Index j = 0; j < dim; ++j) {
    std::vector<double> from, to;
    for (Index q = 0; q <= 8; ++q) {
      from.push_back(-3 + 0.75 * static_cast<double>(q) +
                     (q % 8 == 0 ? 0 : 0.5 * stream.uniform()));
      to.push_back(0.125 * static_cast<double>(q));
    }
    axes.push_back({dim - 1 - j, PiecewiseLinearMap(std::move(from), std::move(to))});
  }
  std::vector<TreeLayer::Node> nodes;
  std::vector<std::vector<PiecewiseLinearMap>> maps(static_cast<std::size_t>(groups));
  std::vector<Box> open{{std::vector(static_cast<std::size_t>(dim), std::pair(0.0, 1.0))}};
  while (static_cast<Index>(nodes.size()) + 1 < leaves) {
    const Index chosen = stream.below(static_cast<Index>(open.size()));
    Box below = open[static_cast<std::size_t>(chosen)];
    const auto node = static_cast<Index>(nodes.size());
    const Index axis = stream.below(dim);
    const auto [low, high] = below.sides[static_cast<std::size_t>(axis)];
    const double cut = std::lerp(low, high, 0.2 + 0.6 * stream.uniform());
    if (below.parent != TreeLayer::kLeaf) {
      TreeLayer::Node& parent = nodes[static_cast<std::size_t>(below.parent)];
      (below.below ? parent.below : parent.above) = node;
    }
    nodes.push_back({axis, cut});
    for (auto& of_group : maps) of_group.push_back(random_map_of_side(low, high, stream));
    below.parent = node;
    Box above = below;
    below.below = true;
    above.below = false;
    below.sides[static_cast<std::size_t>(axis)].second = cut;
    above.sides[static_cast<std::size_t>(axis)].first = cut;
    open[static_cast<std::size_t>(chosen)] = std::move(below);
    open.push_back(std::move(above));
  }
  return {dim, std::move(axes), std::move(nodes), std::move(maps)};
}

}  // namespace conflux

#include "univariate/spline_maps.h"

#include <algorithm>
#include <cmath>

#include "univariate/barycenter.h"

namespace conflux {

namespace {

// Knots per extra level in a tail.
constexpr Index kKnotsPerEdge = 40;

// The derivative of the point by its image.
std::vector<double> knot_slopes(const std::vector<double>& from, const std::vector<double>& to) {
  std::vector<double> slopes(from.size(), 1.0);
  for (std::size_t i = 1; i + 1 < from.size(); ++i) {
    const double before = to[i] - to[i - 1];
    const double after = to[i + 1] - to[i];
    const double slope_before = (from[i] - from[i - 1]) / before;
    const double slope_after = (from[i + 1] - from[i]) / after;
    slopes[i] = (slope_before * after + slope_after * before) / (before + after);
  }
  return slopes;
}

}  // namespace

std::vector<double> spline_levels(Index knots) {
  const Index edge = knots / kKnotsPerEdge;
  const Index inner = knots - 2 * edge;
  const double outermost = 1 / static_cast<double>(inner + 1);
  std::vector<double> levels;
  for (Index j = 1; j <= edge; ++j) {
    levels.push_back(outermost * static_cast<double>(j) / static_cast<double>(edge + 1));
  }
  for (Index j = 1; j <= inner; ++j) {
    levels.push_back(static_cast<double>(j) / static_cast<double>(inner + 1));
  }
  for (Index j = edge; j >= 1; --j) levels.push_back(1 - levels[static_cast<std::size_t>(j - 1)]);
  return levels;
}

std::vector<double> quantiles_at(const QuantileSummary& summary, std::span<const double> levels) {
  const std::vector<double>& values = summary.values;
  std::vector<double> places(values.size(), 0.0);
  for (std::size_t i = 1; i < values.size(); ++i) {
    places[i] = places[i - 1] + 0.5 * (summary.masses[i - 1] + summary.masses[i]);
  }
  std::vector<double> out;
  std::size_t i = 0;
  for (const double level : levels) {
    const double place = level * places.back();
    while (i + 2 < values.size() && places[i + 1] <= place) ++i;
    if (values.size() == 1) {
      out.push_back(values.front());
      continue;
    }
    const double share = (place - places[i]) / (places[i + 1] - places[i]);
    out.push_back(std::lerp(values[i], values[i + 1], std::clamp(share, 0.0, 1.0)));
  }
  return out;
}

RationalQuadraticMap spline_through(std::span<const double> from, std::span<const double> to,
                                    double strength) {
  if (std::equal(from.begin(), from.end(), to.begin())) return {};
  const PiecewiseLinearMap straight = map_through(from, to, from.front(), from.back(), strength);
  return {straight.from(), straight.to(), knot_slopes(straight.from(), straight.to())};
}

std::vector<MonotoneMap> fit_spline_maps(std::span<const QuantileSummary> groups,
                                         std::span<const double> weights, Index knots,
                                         double strength, std::vector<double>* barycenter) {
  const std::vector<double> levels = spline_levels(knots);
  std::vector<std::vector<double>> quantiles;
  std::vector<double> mean(levels.size(), 0.0);
  for (std::size_t m = 0; m < groups.size(); ++m) {
    quantiles.push_back(quantiles_at(groups[m], levels));
    for (std::size_t q = 0; q < mean.size(); ++q) mean[q] += weights[m] * quantiles[m][q];
  }
  std::vector<MonotoneMap> maps;
  maps.reserve(quantiles.size());
  for (const auto& own : quantiles) maps.emplace_back(spline_through(own, mean, strength));
  if (barycenter != nullptr) *barycenter = std::move(mean);
  return maps;
}

RationalQuadraticMap fit_spline_map_to(const QuantileSummary& group,
                                       std::span<const double> barycenter, double strength) {
  const std::vector<double> levels = spline_levels(static_cast<Index>(barycenter.size()));
  return spline_through(quantiles_at(group, levels), barycenter, strength);
}

}  // namespace conflux

#include "univariate/barycenter.h"

#include <algorithm>
#include <cmath>

namespace conflux {

namespace {

// Knots closer than this fraction of the whole range are one atom.
constexpr double kSameKnot = 1e-12;
// Maps flatter than this, or steeper than its inverse, are taken for shifts.
constexpr double kSmallestSlope = 1e-200;

struct Knots {
  std::vector<double> from;
  std::vector<double> to;
  std::vector<double> mass;  // number of given knots that each stands for

  std::size_t size() const { return from.size(); }
  double from_range() const { return from.back() - from.front(); }
  double to_range() const { return to.back() - to.front(); }
};

// An atom of the group covers several knots of the barycenter; it goes to their mean.
Knots join_repeated(std::span<const double> from, std::span<const double> to) {
  const double tolerance = kSameKnot * (from.back() - from.front());
  Knots out;
  for (std::size_t i = 0; i < from.size();) {
    double sum = 0;
    std::size_t end = i;
    while (end < from.size() && from[end] - from[i] <= tolerance) sum += to[end++];
    const auto count = static_cast<double>(end - i);
    out.from.push_back(from[i]);
    out.to.push_back(sum / count);
    out.mass.push_back(count);
    i = end;
  }
  return out;
}

// The increasing sequence nearest to `values` in mean square (pooling of adjacent violators).
std::vector<double> isotonic(const std::vector<double>& values, const std::vector<double>& mass) {
  struct Block {
    double mean;
    double mass;
    std::size_t count;
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Block block{values[i], mass[i], 1};
    while (!blocks.empty() && blocks.back().mean > block.mean) {
      const Block& last = blocks.back();
      const double sum = block.mass + last.mass;
      block = {(block.mean * block.mass + last.mean * last.mass) / sum, sum,
               block.count + last.count};
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  std::vector<double> out;
  for (const Block& block : blocks) out.insert(out.end(), block.count, block.mean);
  return out;
}

// The nearest values whose increments are at least `floor` times those of `base`. Both sequences
// are taken relative to their first entry, so that large offsets cost no digits.
void limit_slope(const std::vector<double>& base, std::vector<double>& values,
                 const std::vector<double>& mass, double floor) {
  const double offset = values.front();
  std::vector<double> rest(values.size());
  bool steep_enough = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    rest[i] = (values[i] - offset) - floor * (base[i] - base.front());
    if (i > 0 && rest[i] < rest[i - 1]) steep_enough = false;
  }
  if (steep_enough) return;
  rest = isotonic(rest, mass);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = offset + rest[i] + floor * (base[i] - base.front());
  }
}

// The outer knots are means of outer bins; half of such a bin lies beyond them. The last slope goes
// on to the end of the sample, so that groups which differ by shift and scale meet exactly, but not
// far from the mean slope, since a last slope alone is noisy.
void continue_to_the_ends(Knots& knots, double min, double max) {
  if (knots.size() < 2) return;
  const double mean_slope = knots.to_range() / knots.from_range();
  const auto slope_between = [&](std::size_t a, std::size_t b) {
    const double slope = (knots.to[b] - knots.to[a]) / (knots.from[b] - knots.from[a]);
    return std::clamp(slope, 0.5 * mean_slope, 2 * mean_slope);
  };
  const std::size_t last = knots.size() - 1;
  const double tolerance = kSameKnot * knots.from_range();
  const double low = knots.to.front() + slope_between(0, 1) * (min - knots.from.front());
  const double high = knots.to.back() + slope_between(last - 1, last) * (max - knots.from.back());
  if (knots.from.front() - min > tolerance) {
    knots.from.insert(knots.from.begin(), min);
    knots.to.insert(knots.to.begin(), low);
  }
  if (max - knots.from.back() > tolerance) {
    knots.from.push_back(max);
    knots.to.push_back(high);
  }
}

// Knots that rounding has made equal carry no information. The outer ones stay, because the map
// does not shrink or stretch beyond them.
void drop_equal(Knots& knots) {
  const auto above = [](const Knots& k, std::size_t i, std::size_t j) {
    return k.from[i] > k.from[j] && k.to[i] > k.to[j];
  };
  const std::size_t last = knots.size() - 1;
  std::vector<double> from{knots.from.front()};
  std::vector<double> to{knots.to.front()};
  std::size_t kept = 0;
  for (std::size_t i = 1; i < last; ++i) {
    if (!above(knots, i, kept) || !above(knots, last, i)) continue;
    from.push_back(knots.from[i]);
    to.push_back(knots.to[i]);
    kept = i;
  }
  if (above(knots, last, kept)) {
    from.push_back(knots.from[last]);
    to.push_back(knots.to[last]);
  }
  knots.from = std::move(from);
  knots.to = std::move(to);
}

}  // namespace

PiecewiseLinearMap map_through(std::span<const double> from, std::span<const double> to, double min,
                               double max, double strength) {
  Knots knots = join_repeated(from, to);
  if (knots.size() > 1) {
    const double mean_slope = knots.to_range() / knots.from_range();
    if (mean_slope > kSmallestSlope && mean_slope < 1 / kSmallestSlope) {
      limit_slope(knots.from, knots.to, knots.mass, kSlopeFloor * mean_slope);
      limit_slope(knots.to, knots.from, knots.mass, kSlopeFloor / mean_slope);
      continue_to_the_ends(knots, min, max);
    } else {
      // All other groups are constant: there is nothing to stretch to, only a place to move to.
      knots = {{0.5 * (knots.from.front() + knots.from.back())},
               {0.5 * (knots.to.front() + knots.to.back())},
               {1.0}};
    }
  }
  for (std::size_t i = 0; i < knots.size(); ++i) {
    knots.to[i] = std::lerp(knots.from[i], knots.to[i], strength);
  }
  drop_equal(knots);
  return {std::move(knots.from), std::move(knots.to)};
}

std::vector<MonotoneMap> fit_quantile_maps(std::span<const QuantileSummary> groups,
                                           std::span<const double> weights, Index knots,
                                           double strength, std::vector<double>* barycenter) {
  std::vector<std::vector<double>> means;
  std::vector<double> mean_knots(static_cast<std::size_t>(knots), 0.0);
  for (std::size_t m = 0; m < groups.size(); ++m) {
    means.push_back(equal_mass_means(groups[m], knots));
    for (std::size_t q = 0; q < mean_knots.size(); ++q) mean_knots[q] += weights[m] * means[m][q];
  }
  std::vector<MonotoneMap> maps;
  for (std::size_t m = 0; m < groups.size(); ++m) {
    maps.emplace_back(map_through(means[m], mean_knots, groups[m].min, groups[m].max, strength));
  }
  if (barycenter != nullptr) *barycenter = std::move(mean_knots);
  return maps;
}

PiecewiseLinearMap fit_quantile_map_to(const QuantileSummary& group,
                                       std::span<const double> barycenter, double strength) {
  const std::vector<double> means = equal_mass_means(group, static_cast<Index>(barycenter.size()));
  return map_through(means, barycenter, group.min, group.max, strength);
}

double usable_deviation(double deviation, double pooled_deviation) {
  const double usable = std::max(deviation, 1e-8 * pooled_deviation);
  return usable > 0 ? usable : 1;
}

std::vector<MonotoneMap> fit_histogram_maps(std::span<const GroupHistogram> groups,
                                            std::span<const double> weights,
                                            const HistogramSettings& settings, double strength) {
  auto barycenter = std::make_shared<HistogramBarycenter>();
  for (const GroupHistogram& group : groups) {
    barycenter->parts.emplace_back(group.mean, group.deviation, group.counts,
                                   settings.pseudo_count);
  }
  barycenter->weights.assign(weights.begin(), weights.end());
  std::vector<GaussianHistogram> sources = barycenter->parts;
  if (settings.grid > 0) *barycenter = thin_barycenter(*barycenter, settings.grid);
  std::vector<MonotoneMap> maps;
  for (std::size_t m = 0; m < groups.size(); ++m) {
    const HistogramMapOptions options{.strength = strength,
                                      .tail_mass = groups[m].tail_mass,
                                      .slope_floor = settings.slope_floor};
    maps.emplace_back(HistogramMap(std::move(sources[m]), barycenter, options));
  }
  return maps;
}

HistogramMap fit_histogram_map_to(const GroupHistogram& group,
                                  std::shared_ptr<const HistogramBarycenter> barycenter,
                                  const HistogramSettings& settings, double strength) {
  return {
      GaussianHistogram(group.mean, group.deviation, group.counts, settings.pseudo_count),
      std::move(barycenter),
      {.strength = strength, .tail_mass = group.tail_mass, .slope_floor = settings.slope_floor}};
}

}  // namespace conflux

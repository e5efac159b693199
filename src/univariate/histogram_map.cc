#include "univariate/histogram_map.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "kernels/normal.h"

namespace conflux {

namespace {

// Knots of a thinned barycenter that differ by less than this fraction of their tail are the same
// up to rounding.
constexpr double kSmallestGap = 1e-14;
// Stands for probabilities whose score is not finite.
constexpr double kSmallest = std::numeric_limits<double>::min();

Probability normal_probability(double score) {
  return {kernels::normal_cdf(score), kernels::normal_cdf(-score)};
}

// The point at fraction (x - x0) / (x1 - x0) of [y0, y1]. The fraction and its complement are
// measured on the nearer side of x, and each side of y by itself: x may be in one tail and y in the
// other, and neither loses digits.
Probability interpolate(Probability x, Probability x0, Probability x1, double x_gap, Probability y0,
                        Probability y1, double y_gap) {
  const bool low = x.below < x.above;
  const double passed = (low ? x.below - x0.below : x0.above - x.above) / x_gap;
  const double left = (low ? x1.below - x.below : x.above - x1.above) / x_gap;
  return {y0.below + passed * y_gap, y1.above + left * y_gap};
}

bool at_or_below(Probability a, Probability b) {
  return b.below < b.above ? a.below <= b.below : a.above >= b.above;
}

// Last knot at or below p, of those that begin a bin.
std::size_t bin_of(const std::vector<Probability>& knots, Probability p) {
  const auto first_above = std::upper_bound(
      knots.begin() + 1, knots.end() - 1, p,
      [](Probability value, Probability knot) { return !at_or_below(knot, value); });
  return static_cast<std::size_t>(first_above - knots.begin()) - 1;
}

// From one knot to the next, measured on the side with more digits.
double gap(Probability a, Probability b) {
  return b.below < b.above ? b.below - a.below : a.above - b.above;
}

std::vector<double> shares(std::span<const double> counts, double pseudo_count) {
  double total = 0;
  for (const double count : counts) total += count + pseudo_count;
  std::vector<double> out;
  out.reserve(counts.size());
  for (const double count : counts) out.push_back((count + pseudo_count) / total);
  return out;
}

}  // namespace

GaussianHistogram::GaussianHistogram(double mean, double deviation, std::span<const double> counts,
                                     double pseudo_count)
    : GaussianHistogram(mean, deviation, shares(counts, pseudo_count)) {}

GaussianHistogram::GaussianHistogram(double mean, double deviation, std::vector<double> masses)
    : mean_(mean), deviation_(deviation), mass_(std::move(masses)) {
  const std::size_t bins = mass_.size();
  edges_.resize(bins + 1);
  levels_.resize(bins + 1);
  double below = 0;
  double above = 0;
  for (std::size_t b = 0; b <= bins; ++b) {
    edges_[b] = {static_cast<double>(b) / static_cast<double>(bins),
                 static_cast<double>(bins - b) / static_cast<double>(bins)};
    levels_[b].below = below;
    levels_[bins - b].above = above;
    if (b == bins) break;
    below += mass_[b];
    above += mass_[bins - 1 - b];
  }
  levels_[bins] = {1, 0};
  levels_[0] = {0, 1};
  width_.assign(bins, 1 / static_cast<double>(bins));
}

GaussianHistogram::GaussianHistogram(double mean, double deviation, std::span<const double> values,
                                     std::span<const Probability> levels)
    : mean_(mean), deviation_(deviation) {
  assert(values.size() == levels.size());
  edges_.push_back({0, 1});
  levels_.push_back({0, 1});
  for (std::size_t j = 0; j < values.size(); ++j) {
    const Probability edge = normal_probability((values[j] - mean) / deviation);
    const double tail = std::min(edge.below, edge.above);
    if (tail < kSmallest || gap(edges_.back(), edge) < kSmallestGap * tail) continue;
    edges_.push_back(edge);
    levels_.push_back(levels[j]);
  }
  edges_.push_back({1, 0});
  levels_.push_back({1, 0});
  measure_gaps();
}

GaussianHistogram::GaussianHistogram(double mean, double deviation, std::vector<Probability> edges,
                                     std::vector<Probability> levels)
    : mean_(mean), deviation_(deviation), edges_(std::move(edges)), levels_(std::move(levels)) {
  assert(edges_.size() == levels_.size() && edges_.size() >= 2);
  measure_gaps();
}

void GaussianHistogram::measure_gaps() {
  for (std::size_t b = 0; b + 1 < edges_.size(); ++b) {
    width_.push_back(gap(edges_[b], edges_[b + 1]));
    mass_.push_back(gap(levels_[b], levels_[b + 1]));
  }
}

GaussianHistogram::Level GaussianHistogram::level_at(double z) const {
  const double score = (z - mean_) / deviation_;
  const Probability p = normal_probability(score);
  const std::size_t b = bin_of(edges_, p);
  return {interpolate(p, edges_[b], edges_[b + 1], width_[b], levels_[b], levels_[b + 1], mass_[b]),
          kernels::normal_density(score) / deviation_ * (mass_[b] / width_[b])};
}

GaussianHistogram::Quantile GaussianHistogram::quantile_at(Probability u) const {
  const std::size_t b = bin_of(levels_, u);
  const Probability p =
      interpolate(u, levels_[b], levels_[b + 1], mass_[b], edges_[b], edges_[b + 1], width_[b]);
  const double score =
      kernels::normal_quantile(std::max(p.below, kSmallest), std::max(p.above, kSmallest));
  return {mean_ + deviation_ * score,
          deviation_ / kernels::normal_density(score) * (width_[b] / mass_[b])};
}

std::vector<double> count_in_normal_bins(std::span<const double> values,
                                         std::span<const double> masses, double mean,
                                         double deviation, Index bins) {
  std::vector<double> counts(static_cast<std::size_t>(bins), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double p = kernels::normal_cdf((values[i] - mean) / deviation);
    const auto bin = static_cast<Index>(p * static_cast<double>(bins));
    counts[static_cast<std::size_t>(std::min(bin, bins - 1))] += masses.empty() ? 1 : masses[i];
  }
  return counts;
}

double HistogramBarycenter::quantile(Probability u) const {
  double value = 0;
  for (std::size_t m = 0; m < parts.size(); ++m) {
    if (weights[m] > 0) value += weights[m] * parts[m].quantile_at(u).value;
  }
  return value;
}

double HistogramBarycenter::mean() const {
  double mean = 0;
  for (std::size_t m = 0; m < parts.size(); ++m) mean += weights[m] * parts[m].mean();
  return mean;
}

double HistogramBarycenter::deviation() const {
  double deviation = 0;
  for (std::size_t m = 0; m < parts.size(); ++m) deviation += weights[m] * parts[m].deviation();
  return deviation;
}

HistogramBarycenter thin_barycenter(const HistogramBarycenter& barycenter, Index points) {
  const double margin = 1 / static_cast<double>(points);
  std::vector<Probability> levels;
  std::vector<double> values;
  for (Index j = 0; j < points; ++j) {
    const double step = static_cast<double>(j) / static_cast<double>(points - 1);
    const double level = 0.5 + (1 - margin) * (step - 0.5);
    levels.push_back({level, 1 - level});
    values.push_back(barycenter.quantile(levels.back()));
  }
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(points);
  double variance = 0;
  for (const double value : values) {
    variance += (value - mean) * (value - mean) / static_cast<double>(points);
  }
  const double deviation = variance > 0 ? std::sqrt(variance) : 1;
  return {{GaussianHistogram(mean, deviation, values, levels)}, {1.0}};
}

HistogramMap::HistogramMap(GaussianHistogram source,
                           std::shared_ptr<const HistogramBarycenter> target,
                           const HistogramMapOptions& options)
    : source_(std::move(source)),
      target_(std::move(target)),
      options_(options),
      mean_slope_(target_->deviation() / source_.deviation()),
      target_mean_(target_->mean()) {
  for (std::size_t m = 0; m < target_->parts.size(); ++m) {
    if (target_->parts[m] == source_) {
      own_weight_ += target_->weights[m];
    } else if (target_->weights[m] > 0) {
      others_.push_back(m);
    }
  }
  const double tail = options.tail_mass;
  low_ = source_.quantile_at({tail, 1 - tail}).value;
  high_ = source_.quantile_at({1 - tail, tail}).value;
  const double slope = (1 - options.strength) + options.strength * mean_slope_;
  at_low_ = {inside(low_).value, slope};
  at_high_ = {inside(high_).value, slope};
}

// The source's own quantile at the level of z is z itself. Going through the level would lose the
// digits that an empty bin, with its mass of 1e-6 of a row, has no room for.
HistogramMap::Point HistogramMap::inside(double z) const {
  const auto [u, density] = source_.level_at(z);
  Point target{own_weight_ * z, own_weight_};
  for (const std::size_t m : others_) {
    const auto [value, slope] = target_->parts[m].quantile_at(u);
    target.value += target_->weights[m] * value;
    target.slope += target_->weights[m] * density * slope;
  }
  const double floor = options_.slope_floor;
  const double straight = target_mean_ + mean_slope_ * (z - source_.mean());
  target = {(1 - floor) * target.value + floor * straight,
            (1 - floor) * target.slope + floor * mean_slope_};
  const double s = options_.strength;
  return {(1 - s) * z + s * target.value, (1 - s) + s * target.slope};
}

HistogramMap::Point HistogramMap::at(double z) const {
  if (z < low_) return {at_low_.value + at_low_.slope * (z - low_), at_low_.slope};
  if (z > high_) return {at_high_.value + at_high_.slope * (z - high_), at_high_.slope};
  return inside(z);
}

// Newton's method, with bisection whenever a step leaves the bracket or converges slowly.
double HistogramMap::solve(double image) const {
  if (image <= at_low_.value) return low_ + (image - at_low_.value) / at_low_.slope;
  if (image >= at_high_.value) return high_ + (image - at_high_.value) / at_high_.slope;
  double a = low_;
  double b = high_;
  double z = a + (b - a) * ((image - at_low_.value) / (at_high_.value - at_low_.value));
  const double tolerance = 4 * std::numeric_limits<double>::epsilon() * (b - a);
  double last_step = b - a;
  while (b - a > tolerance) {
    const Point p = inside(z);
    if (p.value == image) return z;
    (p.value < image ? a : b) = z;
    double next = z - (p.value - image) / p.slope;
    const bool trusted = next > a && next < b && std::abs(next - z) < 0.5 * last_step;
    if (!trusted) next = a + 0.5 * (b - a);
    last_step = std::abs(next - z);
    if (last_step <= 0.25 * tolerance) return next;
    z = next;
  }
  return z;
}

void HistogramMap::forward(std::span<double> values, double* log_slopes) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Point p = at(values[i]);
    values[i] = p.value;
    if (log_slopes != nullptr) log_slopes[i] += std::log(p.slope);
  }
}

void HistogramMap::inverse(std::span<double> values, double* log_slopes) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = solve(values[i]);
    if (log_slopes != nullptr) log_slopes[i] -= std::log(at(values[i]).slope);
  }
}

HistogramMap HistogramMap::part(double amount) const {
  HistogramMapOptions options = options_;
  options.strength *= amount;
  return {source_, target_, options};
}

}  // namespace conflux

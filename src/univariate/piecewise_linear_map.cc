#include "univariate/piecewise_linear_map.h"

#include <cassert>
#include <cmath>

#include "univariate/segments.h"

namespace conflux {

PiecewiseLinearMap::PiecewiseLinearMap(std::vector<double> from, std::vector<double> to)
    : from_(std::move(from)), to_(std::move(to)) {
  assert(from_.size() == to_.size());
  slope_.assign(from_.size(), 1.0);
  log_slope_.assign(from_.size(), 0.0);
  for (std::size_t i = 0; i + 1 < from_.size(); ++i) {
    assert(from_[i] < from_[i + 1] && to_[i] < to_[i + 1]);
    slope_[i] = (to_[i + 1] - to_[i]) / (from_[i + 1] - from_[i]);
    log_slope_[i] = std::log(slope_[i]);
  }
}

void PiecewiseLinearMap::forward(std::span<double> values, double* log_slopes) const {
  if (from_.empty()) return;
  const auto value_at = [&](std::size_t i) { return values[i]; };
  for_each_segment(from_, values.size(), value_at,
                   [&](std::size_t i, double at, std::size_t knots) {
                     values[i] = image(at, knots);
                     if (log_slopes != nullptr && knots > 0) log_slopes[i] += log_slope_[knots - 1];
                   });
}

void PiecewiseLinearMap::inverse(std::span<double> values, double* log_slopes) const {
  if (from_.empty()) return;
  const auto value_at = [&](std::size_t i) { return values[i]; };
  for_each_segment(to_, values.size(), value_at, [&](std::size_t i, double at, std::size_t knots) {
    values[i] = preimage(at, knots);
    if (log_slopes != nullptr && knots > 0) log_slopes[i] -= log_slope_[knots - 1];
  });
}

PiecewiseLinearMap PiecewiseLinearMap::part(double amount) const {
  std::vector<double> from, to;
  for (std::size_t i = 0; i < from_.size(); ++i) {
    const double image = from_[i] + amount * (to_[i] - from_[i]);
    // Knots and images one rounding apart may have the same image between them.
    if (!to.empty() && !(image > to.back())) continue;
    from.push_back(from_[i]);
    to.push_back(image);
  }
  return {std::move(from), std::move(to)};
}

}  // namespace conflux

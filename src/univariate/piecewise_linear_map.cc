#include "conflux/univariate/piecewise_linear_map.h"

#include <cassert>
#include <cmath>

namespace conflux {

namespace {

// Number of knots at or below x, without branches that depend on the data.
std::size_t count_up_to(const std::vector<double>& knots, double x) {
  const double* base = knots.data();
  std::size_t size = knots.size();
  while (size > 1) {
    const std::size_t half = size / 2;
    base += (base[half - 1] <= x) ? half : 0;
    size -= half;
  }
  return static_cast<std::size_t>(base - knots.data()) + ((*base <= x) ? 1 : 0);
}

}  // namespace

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
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t knots = count_up_to(from_, values[i]);
    if (knots == 0) {
      values[i] += to_.front() - from_.front();
      continue;
    }
    const std::size_t k = knots - 1;
    values[i] = to_[k] + slope_[k] * (values[i] - from_[k]);
    if (log_slopes != nullptr) log_slopes[i] += log_slope_[k];
  }
}

void PiecewiseLinearMap::inverse(std::span<double> values, double* log_slopes) const {
  if (from_.empty()) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t knots = count_up_to(to_, values[i]);
    if (knots == 0) {
      values[i] += from_.front() - to_.front();
      continue;
    }
    const std::size_t k = knots - 1;
    values[i] = from_[k] + (values[i] - to_[k]) / slope_[k];
    if (log_slopes != nullptr) log_slopes[i] -= log_slope_[k];
  }
}

}  // namespace conflux

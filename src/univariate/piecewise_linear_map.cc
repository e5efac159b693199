#include "univariate/piecewise_linear_map.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace conflux {

namespace {

// Values that are looked up together: each step of a search waits for the one before, so several
// searches at once keep the processor busy.
constexpr std::size_t kLanes = 8;
using Lanes = std::array<std::size_t, kLanes>;

// Numbers of knots at or below each of the values, without branches that depend on the data.
Lanes count_up_to(const std::vector<double>& knots, const double* values) {
  const double* first = knots.data();
  Lanes at{};
  std::size_t size = knots.size();
  while (size > 1) {
    const std::size_t half = size / 2;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      at[lane] += (first[at[lane] + half - 1] <= values[lane]) ? half : 0;
    }
    size -= half;
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) at[lane] += first[at[lane]] <= values[lane];
  return at;
}

// Calls move(i, knots at or below values[i]) for every value.
template <class Move>
void for_each_segment(const std::vector<double>& knots, std::span<const double> values,
                      const Move& move) {
  for (std::size_t begin = 0; begin < values.size(); begin += kLanes) {
    const std::size_t count = std::min(kLanes, values.size() - begin);
    std::array<double, kLanes> block{};
    std::copy_n(values.data() + begin, count, block.data());
    const Lanes segments = count_up_to(knots, block.data());
    for (std::size_t lane = 0; lane < count; ++lane) move(begin + lane, segments[lane]);
  }
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
  for_each_segment(from_, values, [&](std::size_t i, std::size_t knots) {
    if (knots == 0) {
      values[i] += to_.front() - from_.front();
      return;
    }
    const std::size_t k = knots - 1;
    values[i] = to_[k] + slope_[k] * (values[i] - from_[k]);
    if (log_slopes != nullptr) log_slopes[i] += log_slope_[k];
  });
}

void PiecewiseLinearMap::forward_with_slopes(std::span<double> values,
                                             std::span<double> slopes) const {
  std::fill(slopes.begin(), slopes.end(), 1.0);
  if (from_.empty()) return;
  for_each_segment(from_, values, [&](std::size_t i, std::size_t knots) {
    if (knots == 0) {
      values[i] += to_.front() - from_.front();
      return;
    }
    const std::size_t k = knots - 1;
    values[i] = to_[k] + slope_[k] * (values[i] - from_[k]);
    slopes[i] = slope_[k];
  });
}

void PiecewiseLinearMap::inverse(std::span<double> values, double* log_slopes) const {
  if (from_.empty()) return;
  for_each_segment(to_, values, [&](std::size_t i, std::size_t knots) {
    if (knots == 0) {
      values[i] += from_.front() - to_.front();
      return;
    }
    const std::size_t k = knots - 1;
    values[i] = from_[k] + (values[i] - to_[k]) / slope_[k];
    if (log_slopes != nullptr) log_slopes[i] -= log_slope_[k];
  });
}

}  // namespace conflux

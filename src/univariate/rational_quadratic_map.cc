#include "univariate/rational_quadratic_map.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace conflux {

namespace {

// Piece that x is in, among those that begin at each knot but the last.
std::size_t piece_of(const std::vector<double>& knots, double x) {
  const auto above = std::upper_bound(knots.begin(), knots.end(), x);
  return std::min(static_cast<std::size_t>(above - knots.begin()), knots.size() - 1) - 1;
}

}  // namespace

RationalQuadraticMap::RationalQuadraticMap(std::vector<double> from, std::vector<double> to,
                                           std::vector<double> slopes)
    : from_(std::move(from)), to_(std::move(to)), slopes_(std::move(slopes)) {
  assert(from_.size() == to_.size() && from_.size() == slopes_.size());
}

// The point, counted from knot k, whose image is this share of the way from knot k to the next one.
RationalQuadraticMap::Point RationalQuadraticMap::piece_at(std::size_t k, double share) const {
  const double rise = from_[k + 1] - from_[k];
  const double mean = rise / (to_[k + 1] - to_[k]);
  const double rest = 1 - share;
  const double bend = slopes_[k] + slopes_[k + 1] - 2 * mean;
  const double below = mean + bend * share * rest;
  const double ratio = mean / below;
  return {
      rise * share * (mean * share + slopes_[k] * rest) / below,
      ratio * ratio *
          (slopes_[k + 1] * share * share + 2 * mean * share * rest + slopes_[k] * rest * rest)};
}

// The share at which piece_at() gives `above`: the root in [0, 1] of a quadratic equation, in the
// form that does not subtract nearly equal numbers, and a step of Newton's method for what the
// square root has lost.
double RationalQuadraticMap::share_of(std::size_t k, double above) const {
  const double rise = from_[k + 1] - from_[k];
  const double width = to_[k + 1] - to_[k];
  const double mean = rise / width;
  const double bend = slopes_[k] + slopes_[k + 1] - 2 * mean;
  const double a = rise * (mean - slopes_[k]) + above * bend;
  const double b = rise * slopes_[k] - above * bend;
  const double c = -mean * above;
  const double root = std::sqrt(std::max(b * b - 4 * a * c, 0.0));
  const double share = std::clamp(-2 * c / (b + root), 0.0, 1.0);
  const Point there = piece_at(k, share);
  return std::clamp(share + (above - there.value) / (there.slope * width), 0.0, 1.0);
}

void RationalQuadraticMap::forward(std::span<double> values, double* log_slopes) const {
  if (from_.empty()) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double& x = values[i];
    double slope = 1;
    if (x < from_.front() || x >= from_.back()) {
      const bool low = x < from_.front();
      slope = low ? slopes_.front() : slopes_.back();
      x = low ? to_.front() + (x - from_.front()) / slope : to_.back() + (x - from_.back()) / slope;
    } else {
      const std::size_t k = piece_of(from_, x);
      const double share = share_of(k, x - from_[k]);
      slope = piece_at(k, share).slope;
      x = std::lerp(to_[k], to_[k + 1], share);
    }
    if (log_slopes != nullptr) log_slopes[i] -= std::log(slope);
  }
}

void RationalQuadraticMap::inverse(std::span<double> values, double* log_slopes) const {
  if (to_.empty()) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double& y = values[i];
    double slope = 1;
    if (y < to_.front() || y >= to_.back()) {
      const bool low = y < to_.front();
      slope = low ? slopes_.front() : slopes_.back();
      y = low ? from_.front() + (y - to_.front()) * slope : from_.back() + (y - to_.back()) * slope;
    } else {
      const std::size_t k = piece_of(to_, y);
      const Point there = piece_at(k, (y - to_[k]) / (to_[k + 1] - to_[k]));
      slope = there.slope;
      y = std::min(from_[k] + there.value, from_[k + 1]);
    }
    if (log_slopes != nullptr) log_slopes[i] += std::log(slope);
  }
}

RationalQuadraticMap RationalQuadraticMap::part(double amount) const {
  std::vector<double> from, to, slopes;
  for (std::size_t k = 0; k < from_.size(); ++k) {
    const double image = from_[k] + amount * (to_[k] - from_[k]);
    if (!to.empty() && !(image > to.back())) continue;
    from.push_back(from_[k]);
    to.push_back(image);
    slopes.push_back(1 / (1 + amount * (1 / slopes_[k] - 1)));
  }
  return {std::move(from), std::move(to), std::move(slopes)};
}

}  // namespace conflux

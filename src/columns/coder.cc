#include "columns/coder.h"

#include <algorithm>

namespace conflux {

namespace {

constexpr std::size_t kStepsPerKnot = 16;

}  // namespace

KnottedLine::KnottedLine(const std::vector<double>& from, const std::vector<double>& to)
    : from_(from), to_(to) {
  if (from.empty()) return;
  for (std::size_t k = 1; k < from.size(); ++k) {
    slopes_.push_back((to[k] - to[k - 1]) / (from[k] - from[k - 1]));
  }
  const std::size_t steps = kStepsPerKnot * from.size();
  steps_per_one_ = static_cast<double>(steps) / (from.back() - from.front());
  std::uint32_t piece = 0;
  for (std::size_t b = 0; b <= steps; ++b) {
    const double at = from.front() + static_cast<double>(b) / steps_per_one_;
    while (piece + 1 < slopes_.size() && from[piece + 1] <= at) ++piece;
    first_.push_back(piece);
  }
}

FeatureCoder::FeatureCoder(const Feature& feature, std::uint64_t seed, std::uint64_t stream)
    : feature_(feature),
      to_coordinate_(feature.spread_knots, feature.coordinate_knots),
      to_point_(feature.coordinate_knots, feature.spread_knots),
      key_(mixed_bits(mixed_bits(seed) ^ stream)) {}

}  // namespace conflux

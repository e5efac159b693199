#include "metrics/stacking.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace conflux {

namespace {

// In rows: with many fewer, weights are in proportion to the strength of each expert.
constexpr double kRidge = 10;
constexpr int kRounds = 30;
// Below it, weights no longer change.
constexpr double kSmallStep = 1e-6;

struct Slope {
  double gradient = 0;
  double curvature = 0;
};

Slope slope_at(const StackingRows& rows, const std::vector<double>& odds, std::size_t expert) {
  Slope out;
  for (std::size_t i = 0; i < odds.size(); ++i) {
    const double share = 1 / (1 + std::exp(-odds[i]));
    const double value = rows.of_expert[expert][i];
    out.gradient += rows.mass[i] * value * (share - rows.is_member[i]);
    out.curvature += rows.mass[i] * value * value * share * (1 - share);
  }
  return out;
}

}  // namespace

std::vector<double> weigh_experts(const StackingRows& rows) {
  const std::size_t experts = rows.of_expert.size();
  std::vector<double> weights(experts, 0.0), odds(rows.is_member.size(), 0.0);
  for (int round = 0; round < kRounds; ++round) {
    double largest = 0;
    for (std::size_t e = 0; e < experts; ++e) {
      const Slope slope = slope_at(rows, odds, e);
      const double wanted =
          weights[e] - (slope.gradient + kRidge * weights[e]) / (slope.curvature + kRidge);
      const double step = std::max(0.0, wanted) - weights[e];
      if (step == 0) continue;
      weights[e] += step;
      for (std::size_t i = 0; i < odds.size(); ++i) odds[i] += step * rows.of_expert[e][i];
      largest = std::max(largest, std::abs(step));
    }
    if (largest < kSmallStep) break;
  }
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) {
    weight = total > 0 ? weight / total : 1 / static_cast<double>(experts);
  }
  return weights;
}

}  // namespace conflux

// Samples and histogram maps of them, for the tests of histogram maps.

#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/rng.h"
#include "tests/univariate/line_samples.h"
#include "univariate/barycenter.h"
#include "univariate/histogram_map.h"

namespace conflux {

inline std::vector<double> normal_values(Index count, double mean, double deviation,
                                         std::uint64_t name) {
  Stream stream(10, Purpose::kTest, name);
  std::vector<double> out(count);
  for (double& x : out) x = mean + deviation * stream.normal();
  return out;
}

// Two narrow modes, with empty bins between them.
inline std::vector<double> two_modes(Index count, double share, double distance,
                                     std::uint64_t name) {
  std::vector<double> out = normal_values(count, 0, 0.1, name);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (static_cast<double>(i) >= share * static_cast<double>(count)) out[i] += distance;
  }
  return out;
}

// Tails of one part in 1e15 leave the estimator of the reference as it is.
inline constexpr double kHardlyAnyTail = 1e-15;

inline GroupHistogram histogram_of(const std::vector<double>& values, Index bins,
                                   double pooled_deviation = 1,
                                   const std::vector<double>& masses = {},
                                   double tail_mass = kHardlyAnyTail) {
  double total = 0, mean = 0, variance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) total += masses.empty() ? 1 : masses[i];
  for (std::size_t i = 0; i < values.size(); ++i) {
    mean += (masses.empty() ? 1 : masses[i]) * values[i];
  }
  mean /= total;
  for (std::size_t i = 0; i < values.size(); ++i) {
    variance += (masses.empty() ? 1 : masses[i]) * std::pow(values[i] - mean, 2) / total;
  }
  const double deviation = usable_deviation(std::sqrt(variance), pooled_deviation);
  return {mean, deviation, count_in_normal_bins(values, masses, mean, deviation, bins), tail_mass};
}

inline std::vector<MonotoneMap> fit(const std::vector<std::vector<double>>& groups,
                                    const std::vector<double>& weights, Index bins, Index grid = 0,
                                    double strength = 1, bool tails = false,
                                    double slope_floor = 0) {
  std::vector<GroupHistogram> histograms;
  for (const auto& values : groups) {
    histograms.push_back(histogram_of(values, bins));
    if (tails) histograms.back().tail_mass = 0.5 / static_cast<double>(values.size());
  }
  return fit_histogram_maps(histograms, weights, {.grid = grid, .slope_floor = slope_floor},
                            strength);
}

struct Image {
  double value;
  double log_slope;
};

inline Image image(const MonotoneMap& map, double x) {
  Image out{x, 0};
  forward(map, {&out.value, 1}, &out.log_slope);
  return out;
}

inline Image preimage(const MonotoneMap& map, double y) {
  Image out{y, 0};
  inverse(map, {&out.value, 1}, &out.log_slope);
  return out;
}

// From far beyond the straight tails to the middle.
inline std::vector<double> scores() {
  std::vector<double> out{-1e6, -1000, -100, -37, -12, -8.5, 8.5, 12, 37, 100, 1000, 1e6};
  for (double score = -8; score <= 8; score += 0.0731) out.push_back(score);
  return out;
}

// The value is rounded to eps of the numbers it comes from, and a flat map magnifies that.
inline void expect_invertible(const MonotoneMap& map, double tolerance = 1e-9) {
  const GaussianHistogram& source = std::get<HistogramMap>(map).source();
  for (const double score : scores()) {
    const double x = source.mean() + score * source.deviation();
    const Image there = image(map, x);
    const Image back = preimage(map, there.value);
    ASSERT_TRUE(std::isfinite(there.value) && std::isfinite(there.log_slope)) << score;
    ASSERT_NEAR(back.value, x, tolerance * (1 + std::abs(score)) * source.deviation()) << score;
  }
}

// Groups on which the authors' reference code was run.
inline const std::vector<std::vector<double>> kGoldenGroups{
    {0.1, 0.4, 0.5, 0.7, 1.3, 1.9, 2.0, 2.4}, {-1, -0.5, -0.2, 0, 0.3, 0.9, 1.1, 3}};

}  // namespace conflux

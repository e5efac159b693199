// Samples on the line and piecewise linear maps of them, for the tests of quantile maps.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/rng.h"
#include "univariate/piecewise_linear_map.h"

namespace conflux {

inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

inline std::vector<double> sorted_normal(Index count, std::uint64_t name) {
  Stream stream(9, Purpose::kTest, name);
  std::vector<double> out(count);
  for (double& x : out) x = stream.normal();
  std::sort(out.begin(), out.end());
  return out;
}

inline std::vector<double> moved(std::vector<double> values, double scale, double shift) {
  for (double& x : values) x = scale * x + shift;
  return values;
}

inline std::vector<double> images(const PiecewiseLinearMap& map, std::vector<double> values) {
  map.forward(values, nullptr);
  return values;
}

inline double image(const PiecewiseLinearMap& map, double x) { return images(map, {x})[0]; }

inline void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                        double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], tolerance) << "value " << i;
  }
}

inline void expect_strictly_increasing(const std::vector<double>& knots) {
  for (const double knot : knots) ASSERT_TRUE(std::isfinite(knot));
  for (std::size_t i = 1; i < knots.size(); ++i) ASSERT_LT(knots[i - 1], knots[i]) << "knot " << i;
}

// Every value of the samples, both extremes and points far beyond return to where they were.
inline void expect_invertible(const PiecewiseLinearMap& map, std::vector<double> values) {
  expect_strictly_increasing(map.from());
  expect_strictly_increasing(map.to());
  const double range = map.from().back() - map.from().front();
  values.insert(values.end(), {map.from().front() - 10 * range, map.from().back() + 10 * range,
                               map.from().front() - 1e6 * range, map.from().back() + 1e6 * range});
  for (const double x : values) {
    double value = x, log_slope = 0;
    map.forward({&value, 1}, &log_slope);
    const double y = value;
    const double slope = std::exp(log_slope);
    double sum = log_slope;
    map.inverse({&value, 1}, &sum);
    ASSERT_TRUE(std::isfinite(y) && std::isfinite(log_slope) && std::isfinite(value));
    // An image is rounded to eps |y|, which is eps |y| / slope in x; at a knot the inverse may take
    // the neighboring segment, which is up to 1e6 times flatter.
    double flattest = std::min(slope, 1.0);
    for (std::size_t i = 1; i < map.from().size(); ++i) {
      flattest =
          std::min(flattest, (map.to()[i] - map.to()[i - 1]) / (map.from()[i] - map.from()[i - 1]));
    }
    ASSERT_NEAR(value, x, 16 * kEpsilon * (std::abs(x) + range + std::abs(y) / flattest));
  }
}

}  // namespace conflux

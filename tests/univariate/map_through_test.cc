#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/univariate/line_samples.h"
#include "univariate/barycenter.h"

namespace conflux {
namespace map_through_test {

using testing::ElementsAre;

// Bounds of slopes at full strength: with s the slope from the first to the last knot given, every
// segment between given knots has a slope in [kSlopeFloor, 1 / kSlopeFloor] s. The limits widen the
// whole by 0.2 % at most. A percent is for the rounding of the shortest steps.
RC_GTEST_PROP(MapThrough, SlopesStayWithinTheirLimits, ()) {
  const auto steps = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 11), rc::gen::inRange(0, 11))));
  std::vector<double> from{0}, to{0};
  for (const auto& [right, up] : steps) {
    from.push_back(from.back() + (right == 0 ? 0 : std::pow(4.0, right - 6)));
    to.push_back(to.back() + (up == 0 ? 0 : std::pow(4.0, up - 6)));
  }
  RC_PRE(from.back() > 0);
  // Equal knots are joined before anything is measured.
  const auto mean_over_atom = [&](double x) {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i] != x) continue;
      sum += to[i];
      ++count;
    }
    return sum / count;
  };
  const double rise = mean_over_atom(from.back()) - mean_over_atom(0);
  RC_PRE(rise > 0);
  const PiecewiseLinearMap map = map_through(from, to, 0, from.back(), 1);
  const double run = from.back();
  const auto slope_between = [&](std::size_t a, std::size_t b) {
    return (map.to()[b] - map.to()[a]) / (map.from()[b] - map.from()[a]) / (rise / run);
  };
  for (std::size_t i = 1; i < map.from().size(); ++i) {
    RC_ASSERT(slope_between(i - 1, i) > 0.99 * kSlopeFloor);
    RC_ASSERT(slope_between(i - 1, i) < 1.01 / kSlopeFloor);
  }
  RC_ASSERT(std::abs(slope_between(0, map.from().size() - 1) - 1) < 0.0021);
}

// Less than full strength mixes the slope with 1, and the limits with it.
RC_GTEST_PROP(MapThrough, SlopesMixWithOneAccordingToStrength, ()) {
  const double strength = 0.1 * *rc::gen::inRange(1, 10);
  const auto values = sorted_normal(50, *rc::gen::inRange<std::uint64_t>(0, 1000));
  const auto targets = moved(sorted_normal(50, *rc::gen::inRange<std::uint64_t>(0, 1000)), 5, 2);
  const PiecewiseLinearMap whole = map_through(values, targets, -5, 5, 1);
  const PiecewiseLinearMap part = map_through(values, targets, -5, 5, strength);
  for (double x = -6; x < 6; x += 0.11) {
    double value = x, slope = 0, part_slope = 0;
    whole.forward({&value, 1}, &slope);
    value = x;
    part.forward({&value, 1}, &part_slope);
    const double expected = 1 - strength + strength * std::exp(slope);
    RC_ASSERT(std::abs(std::exp(part_slope) / expected - 1) < 1e-9);
  }
}

// The knot right after an atom is so close that the segment between them must be made less steep.
// The atom stands for 28 knots of 30, so it has to give way 28 times less than its neighbor.
TEST(MapThrough, HeavyAtomsHardlyMoveWhenASlopeIsLimited) {
  std::vector<double> from(30, 0.0), to(30, 0.0);
  from[28] = 1e-9;
  to[28] = 0.5;
  from[29] = to[29] = 1;
  const PiecewiseLinearMap map = map_through(from, to, 0, 1, 1);
  expect_invertible(map, {0, 1e-9, 1e-4, 0.5, 1});
  EXPECT_NEAR(image(map, 0), 0.5 / 29, 1e-6);
}

RC_GTEST_PROP(MapThrough, IsStrictlyIncreasingAndInvertibleForAnySample, ()) {
  const auto sample = [](double scale, double offset) {
    const auto raw =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-15, 15)));
    std::vector<double> values, masses;
    for (const int x : raw) {
      // Cubes put most values close together, and many tie.
      values.push_back(offset + scale * x * x * x);
      masses.push_back(*rc::gen::inRange(0, 5));
    }
    masses.back() = 1;
    std::sort(values.begin(), values.end());
    return summarize(values, masses, *rc::gen::inRange(5, 100));
  };
  const double scale = std::pow(10.0, *rc::gen::inRange(-10, 10));
  const std::vector<QuantileSummary> groups{sample(1, 0), sample(scale, 10 * scale),
                                            sample(1, 1e3)};
  const double first = 0.1 * *rc::gen::inRange(0, 10);
  const std::vector<double> weights{first, 0.5 * (1 - first), 0.5 * (1 - first)};
  const double strength = 0.25 * *rc::gen::inRange(1, 5);
  const auto maps = fit_quantile_maps(groups, weights, *rc::gen::inRange(1, 60), strength);
  for (std::size_t m = 0; m < maps.size(); ++m) {
    expect_invertible(std::get<PiecewiseLinearMap>(maps[m]), groups[m].values);
  }
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(MapThrough, ContinuesTheLastSlopeToTheEndsOfTheSample) {
  const PiecewiseLinearMap map =
      map_through(std::vector<double>{0, 1, 2}, std::vector<double>{0, 2, 4}, -1, 5, 1);
  EXPECT_THAT(map.from(), ElementsAre(-1, 0, 1, 2, 5));
  EXPECT_THAT(map.to(), ElementsAre(-2, 0, 2, 4, 10));
  EXPECT_EQ(image(map, 7), 12);
}

// A single steep last segment is no reason to throw the end of the sample far away.
TEST(MapThrough, ContinuesAtMostTwiceTheMeanSlope) {
  const PiecewiseLinearMap map =
      map_through(std::vector<double>{0, 1, 2}, std::vector<double>{0, 0.1, 2}, -1, 5, 1);
  EXPECT_DOUBLE_EQ(map.to().front(), -0.5);
  EXPECT_DOUBLE_EQ(map.to().back(), 2 + 3 * 1.9);
}

}  // namespace map_through_test
}  // namespace conflux

#include "univariate/barycenter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/univariate/line_samples.h"

namespace conflux {
namespace barycenter_test {

std::vector<PiecewiseLinearMap> fit(const std::vector<std::vector<double>>& groups,
                                    const std::vector<double>& weights, Index knots,
                                    double strength = 1) {
  std::vector<QuantileSummary> summaries;
  for (const auto& values : groups) summaries.push_back(summarize(values, {}, 100000));
  std::vector<PiecewiseLinearMap> out;
  for (const MonotoneMap& map : fit_quantile_maps(summaries, weights, knots, strength)) {
    out.push_back(std::get<PiecewiseLinearMap>(map));
  }
  return out;
}

TEST(QuantileMaps, UndoAPureShift) {
  for (const Index knots : {1, 2, 30, 100}) {
    const auto base = sorted_normal(500, 1);
    const std::vector<std::vector<double>> groups{base, moved(base, 1, 3), moved(base, 1, -7)};
    const auto maps = fit(groups, {0.5, 0.25, 0.25}, knots);
    const auto expected = moved(base, 1, -1);
    for (std::size_t m = 0; m < 3; ++m) {
      expect_near(images(maps[m], groups[m]), expected, 1e-12);
      // Also where no sample was.
      EXPECT_NEAR(image(maps[m], groups[m][0] - 50), expected[0] - 50, 1e-12);
      EXPECT_NEAR(image(maps[m], groups[m][499] + 50), expected[499] + 50, 1e-12);
    }
  }
}

// Half of the outer bins lies beyond the outer knots: extremes meet only if the tails are scaled.
TEST(QuantileMaps, UndoAPureScalingUpToTheExtremes) {
  for (const Index knots : {2, 30, 100}) {
    const auto base = sorted_normal(500, 2);
    const std::vector<std::vector<double>> groups{base, moved(base, 3, 5)};
    const auto maps = fit(groups, {0.5, 0.5}, knots);
    const auto expected = moved(base, 2, 2.5);
    for (std::size_t m = 0; m < 2; ++m) {
      expect_near(images(maps[m], groups[m]), expected, 1e-12);
    }
  }
}

TEST(QuantileMaps, OfEqualGroupsAreTheIdentity) {
  const auto base = sorted_normal(321, 3);
  for (const auto& weights :
       std::vector<std::vector<double>>{{1.0 / 3, 1.0 / 3, 1.0 / 3}, {0.2, 0.7, 0.1}, {1, 0, 0}}) {
    for (const double strength : {0.3, 1.0}) {
      for (const auto& map : fit({base, base, base}, weights, 30, strength)) {
        expect_near(images(map, base), base, 1e-14 * 4);
      }
    }
  }
}

TEST(QuantileMaps, LeaveTheGroupThatHasAllTheWeight) {
  const auto maps = fit({sorted_normal(200, 4), moved(sorted_normal(100, 5), 2, 3)}, {1, 0}, 30);
  EXPECT_EQ(maps[0].from(), maps[0].to());
  for (const double x : {-1e6, -1.0, 0.3, 1e6}) EXPECT_DOUBLE_EQ(image(maps[0], x), x);
  EXPECT_NE(maps[1].from(), maps[1].to());
}

TEST(QuantileMaps, MoveTheFractionOfTheWayThatStrengthSays) {
  const std::vector<std::vector<double>> groups{sorted_normal(200, 6),
                                                moved(sorted_normal(150, 7), 2, 3)};
  const auto whole = fit(groups, {0.5, 0.5}, 30);
  for (const double strength : {0.0, 0.1, 0.5, 0.9}) {
    const auto part = fit(groups, {0.5, 0.5}, 30, strength);
    for (std::size_t m = 0; m < 2; ++m) {
      for (double x = -10; x < 15; x += 0.37) {
        EXPECT_NEAR(image(part[m], x) - x, strength * (image(whole[m], x) - x), 1e-13);
      }
    }
  }
}

TEST(QuantileMaps, MirroredGroupsGiveMirroredMaps) {
  const auto a = sorted_normal(211, 8);
  auto b = sorted_normal(97, 9);
  for (double& x : b) x = std::exp(2 * x);
  const auto mirrored = [](std::vector<double> values) {
    for (double& x : values) x = -x;
    std::reverse(values.begin(), values.end());
    return values;
  };
  const auto maps = fit({a, b}, {0.3, 0.7}, 30);
  const auto mirror_maps = fit({mirrored(a), mirrored(b)}, {0.3, 0.7}, 30);
  for (double x = -20; x < 200; x += 0.71) {
    for (std::size_t m = 0; m < 2; ++m) {
      EXPECT_NEAR(image(maps[m], x), -image(mirror_maps[m], -x), 1e-11);
    }
  }
}

// A feature that is zero for most samples: zeros that every group has in the same share are common
// ground, not a difference.
TEST(QuantileMaps, ZerosStayZeroWhenAllGroupsHaveTheSameShareOfThem) {
  for (const Index count : {100, 125, 1000}) {
    std::vector<std::vector<double>> groups(3);
    for (std::size_t m = 0; m < 3; ++m) {
      groups[m] = moved(sorted_normal(count, 20 + m), 1.0 + static_cast<double>(m), 0);
      for (Index i = 0; i < count; ++i) {
        if (i < 92 * count / 100) groups[m][i] = 0;
        groups[m][i] = std::abs(groups[m][i]) + (groups[m][i] != 0 ? 0.5 : 0);
      }
      std::sort(groups[m].begin(), groups[m].end());
    }
    for (const auto& map : fit(groups, {0.2, 0.3, 0.5}, 30)) EXPECT_EQ(image(map, 0), 0);
  }
}

TEST(QuantileMaps, OfZerosInOneGroupOnlyAreInvertible) {
  const auto smooth = sorted_normal(1000, 30);
  auto zeros = moved(sorted_normal(1000, 31), 1, 0);
  for (std::size_t i = 40; i < 960; ++i) zeros[i] = 0;
  const std::vector<std::vector<double>> groups{smooth, zeros};
  for (const auto& weights : std::vector<std::vector<double>>{{0.5, 0.5}, {0, 1}, {1, 0}}) {
    const auto maps = fit(groups, weights, 100);
    for (std::size_t m = 0; m < 2; ++m) expect_invertible(maps[m], groups[m]);
    // The atom goes to the mean of the barycenter over the levels that it covers.
    const auto knots = equal_mass_means(summarize(smooth, {}, 1000), 100);
    double mean = 0;
    for (std::size_t q = 4; q < 96; ++q) mean += weights[0] * knots[q] / 92;
    EXPECT_NEAR(image(maps[1], 0), mean, 1e-12);
  }
}

TEST(QuantileMaps, OfConstantGroupsAreShifts) {
  const auto maps =
      fit({std::vector<double>(50, 2.0), std::vector<double>(30, 6.0)}, {0.5, 0.5}, 30);
  for (const double x : {-1e3, 0.0, 2.0, 5.5}) {
    EXPECT_DOUBLE_EQ(image(maps[0], x), x + 2);
    EXPECT_DOUBLE_EQ(image(maps[1], x), x - 2);
  }
}

// The constant group has no scale to change, so it moves to the mean of the barycenter; the other
// shrinks to half.
TEST(QuantileMaps, OfAConstantAndAVaryingGroup) {
  const auto base = sorted_normal(300, 32);
  const auto maps = fit({std::vector<double>(10, 4.0), base}, {0.5, 0.5}, 30);
  double mean = 0;
  for (const double x : base) mean += x / 300;
  EXPECT_NEAR(image(maps[0], 4), 0.5 * 4 + 0.5 * mean, 1e-13);
  EXPECT_NEAR(image(maps[0], 5), 0.5 * 4 + 0.5 * mean + 1, 1e-13);
  expect_near(images(maps[1], base), moved(base, 0.5, 2), 1e-12);
}

// All weight on a constant group: squeezing the other to a point could not be undone, so it keeps
// its shape around that point.
TEST(QuantileMaps, OntoAConstantGroupKeepTheShape) {
  const auto base = sorted_normal(300, 33);
  const auto maps = fit({std::vector<double>(10, 4.0), base}, {1, 0}, 30);
  EXPECT_EQ(image(maps[0], 4), 4);
  const auto found = images(maps[1], base);
  for (std::size_t i = 1; i < base.size(); ++i) {
    EXPECT_NEAR(found[i] - found[0], base[i] - base[0], 1e-14);
  }
  EXPECT_LT(found.front(), 4);
  EXPECT_GT(found.back(), 4);
}

TEST(QuantileMaps, OfSingleSamplesAndOfFewerSamplesThanKnots) {
  const auto single = fit({{3}, {5}}, {0.5, 0.5}, 30);
  EXPECT_EQ(image(single[0], 3), 4);
  EXPECT_EQ(image(single[1], 5), 4);
  const std::vector<std::vector<double>> groups{{1, 2, 4}, {10, 20, 30, 50, 80}};
  const auto maps = fit(groups, {0.5, 0.5}, 30);
  for (std::size_t m = 0; m < 2; ++m) expect_invertible(maps[m], groups[m]);
  // The first third of the mass of group 0 is its atom 1: it goes half way to the mean of the same
  // third of group 1, (6 * 10 + 4 * 20) / 10.
  EXPECT_NEAR(image(maps[0], 1), 0.5 * 1 + 0.5 * 14, 1e-13);
}

TEST(QuantileMaps, OfMaximallyDifferentScalesStayExact) {
  const auto base = sorted_normal(400, 34);
  for (const double scale : {1e-30, 1e-12, 1e12, 1e30}) {
    for (const auto& weights : std::vector<std::vector<double>>{{0.5, 0.5}, {1, 0}, {0, 1}}) {
      const std::vector<std::vector<double>> groups{base, moved(base, scale, 0)};
      const auto maps = fit(groups, weights, 30);
      const double mean_scale = weights[0] + weights[1] * scale;
      for (std::size_t m = 0; m < 2; ++m) {
        expect_near(images(maps[m], groups[m]), moved(base, mean_scale, 0), 1e-12 * mean_scale);
        expect_invertible(maps[m], groups[m]);
      }
    }
  }
}

// Scales so far apart that their quotient is no number any more: there is no map but a shift.
TEST(QuantileMaps, OfScalesBeyondAllNumbersStayFinite) {
  const auto base = sorted_normal(40, 35);
  const std::vector<std::vector<double>> groups{moved(base, 1e-200, 0), moved(base, 1e150, 0)};
  for (const auto& weights : std::vector<std::vector<double>>{{0.5, 0.5}, {1, 0}, {0, 1}}) {
    for (const auto& map : fit(groups, weights, 30)) {
      for (const double x : {-1.0, 0.0, 1e-200, 1e150}) {
        double value = x, slope = 0;
        map.forward({&value, 1}, &slope);
        EXPECT_TRUE(std::isfinite(value) && std::isfinite(slope)) << x;
      }
    }
  }
}

// At 1e12 neighboring numbers are 1.2e-4 apart, so the noise has four digits left.
TEST(QuantileMaps, OfLargeOffsetsAreExactToTheLastDigits) {
  const auto base = sorted_normal(400, 36);
  const std::vector<std::vector<double>> groups{moved(base, 1, 1e12), moved(base, 3, -1e12)};
  const auto maps = fit(groups, {0.75, 0.25}, 30);
  const auto expected = moved(base, 1.5, 0.5e12);
  for (std::size_t m = 0; m < 2; ++m) {
    expect_near(images(maps[m], groups[m]), expected, 2e-3);
    expect_invertible(maps[m], groups[m]);
  }
}

// The target varies by a few units in its last place only. Knots that round to the same image
// cannot all be kept, but the ends must be: beyond them the map does not shrink any more.
TEST(QuantileMaps, OntoATargetOfFewRoundingsStayThere) {
  const auto base = sorted_normal(400, 37);
  for (const std::size_t steps : {2, 4, 10}) {
    std::vector<double> tight(400);
    for (std::size_t i = 0; i < 400; ++i) {
      tight[i] = 1e12 + std::pow(2.0, -13) * static_cast<double>(i * steps / 400);
    }
    for (const double sign : {1.0, -1.0}) {
      const auto groups = std::vector{base, moved(tight, 1, sign < 0 ? -2e12 : 0)};
      const auto maps = fit(groups, {0, 1}, 30);
      expect_strictly_increasing(maps[0].from());
      expect_strictly_increasing(maps[0].to());
      for (const double x : images(maps[0], base)) EXPECT_NEAR(x, sign * 1e12, 4e-3);
    }
  }
}

TEST(QuantileMaps, CountWeighedSamplesAsRepeatedOnes) {
  const std::vector<double> values{-1, 0, 2, 5}, masses{2, 1, 3, 2};
  const std::vector<double> repeated{-1, -1, 0, 2, 2, 2, 5, 5};
  const auto other = sorted_normal(50, 38);
  const std::vector<QuantileSummary> weighed{summarize(values, masses, 100),
                                             summarize(other, {}, 100)};
  const std::vector<double> weights{0.5, 0.5};
  const auto maps = fit_quantile_maps(weighed, weights, 8, 1);
  const auto expected = fit({repeated, other}, weights, 8);
  const auto& map = std::get<PiecewiseLinearMap>(maps[0]);
  EXPECT_EQ(map.from(), expected[0].from());
  expect_near(map.to(), expected[0].to(), 1e-14);
}

TEST(UsableDeviation, IsNeverZero) {
  EXPECT_EQ(usable_deviation(2, 3), 2);
  EXPECT_DOUBLE_EQ(usable_deviation(0, 3), 3e-8);
  EXPECT_EQ(usable_deviation(0, 0), 1);
}

}  // namespace barycenter_test
}  // namespace conflux

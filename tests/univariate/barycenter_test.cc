#include "univariate/barycenter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/rng.h"

namespace conflux {
namespace {

using testing::ElementsAre;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

std::vector<double> sorted_normal(Index count, std::uint64_t name) {
  Stream stream(9, Purpose::kTest, name);
  std::vector<double> out(count);
  for (double& x : out) x = stream.normal();
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<double> moved(std::vector<double> values, double scale, double shift) {
  for (double& x : values) x = scale * x + shift;
  return values;
}

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

std::vector<double> images(const PiecewiseLinearMap& map, std::vector<double> values) {
  map.forward(values, nullptr);
  return values;
}

double image(const PiecewiseLinearMap& map, double x) { return images(map, {x})[0]; }

void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                 double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], tolerance) << "value " << i;
  }
}

void expect_strictly_increasing(const std::vector<double>& knots) {
  for (const double knot : knots) ASSERT_TRUE(std::isfinite(knot));
  for (std::size_t i = 1; i < knots.size(); ++i) ASSERT_LT(knots[i - 1], knots[i]) << "knot " << i;
}

// Every value of the samples, both extremes and points far beyond return to where they were.
void expect_invertible(const PiecewiseLinearMap& map, std::vector<double> values) {
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
    // the neighbouring segment, which is up to 1e6 times flatter.
    double flattest = std::min(slope, 1.0);
    for (std::size_t i = 1; i < map.from().size(); ++i) {
      flattest =
          std::min(flattest, (map.to()[i] - map.to()[i - 1]) / (map.from()[i] - map.from()[i - 1]));
    }
    ASSERT_NEAR(value, x, 16 * kEpsilon * (std::abs(x) + range + std::abs(y) / flattest));
  }
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

// At 1e12 neighbouring numbers are 1.2e-4 apart, so the noise has four digits left.
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

// What holds for slopes at full strength: with s the slope from the first to the last knot given,
// every segment between given knots has a slope in [kSlopeFloor, 1 / kSlopeFloor] s. The limits
// widen the whole by 0.2 % at most. A percent is for the rounding of the shortest steps.
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
// The atom stands for 28 knots of 30, so it has to give way 28 times less than its neighbour.
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

TEST(UsableDeviation, IsNeverZero) {
  EXPECT_EQ(usable_deviation(2, 3), 2);
  EXPECT_DOUBLE_EQ(usable_deviation(0, 3), 3e-8);
  EXPECT_EQ(usable_deviation(0, 0), 1);
}

}  // namespace
}  // namespace conflux

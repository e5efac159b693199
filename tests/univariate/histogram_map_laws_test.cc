#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/univariate/histogram_samples.h"
#include "univariate/histogram_map.h"

namespace conflux {
namespace histogram_map_laws_test {

struct Case {
  const char* name;
  std::vector<std::vector<double>> groups;
};

std::vector<Case> cases() {
  return {{"golden", kGoldenGroups},
          {"normal", {normal_values(500, 0, 1, 1), normal_values(300, 4, 2, 2)}},
          {"far", {normal_values(500, 1e6, 1, 3), normal_values(300, -1e6, 2, 4)}},
          {"scales", {normal_values(500, 0, 1e-6, 5), normal_values(300, 0, 1e30, 6)}},
          {"modes", {two_modes(1000, 0.5, 5, 7), two_modes(1000, 0.5, 3, 8)}},
          {"rare", {two_modes(1000, 0.999, 8, 9), normal_values(200, 0, 1, 10)}},
          {"skewed", {two_modes(1000, 0.02, 8, 11), two_modes(400, 0.9, 4, 12)}}};
}

class HistogramMapTest : public testing::TestWithParam<Case> {};

// Where a bin is empty, the distribution function rises by 1e-6 / n only; a map that went through
// it would come back with the digits that are left, six or seven.
TEST_P(HistogramMapTest, InverseUndoesForwardEverywhere) {
  for (const double strength : {0.3, 1.0}) {
    for (const bool tails : {false, true}) {
      for (const auto& map : fit(GetParam().groups, {0.5, 0.5}, 30, 0, strength, tails)) {
        const auto& source = std::get<HistogramMap>(map).source();
        expect_invertible(map, 1e-9 + 16 * kEpsilon * std::abs(source.mean()) / source.deviation());
      }
    }
  }
}

// Beyond half a row the histogram says nothing, and the normal law leads: its ratio of deviations.
TEST_P(HistogramMapTest, GoesOnStraightBeyondHalfARow) {
  const auto& groups = GetParam().groups;
  const auto maps = fit(groups, {0.5, 0.5}, 30, 0, 1, true);
  const auto& one = std::get<HistogramMap>(maps[0]).source();
  const auto& two = std::get<HistogramMap>(maps[1]).source();
  const double slope = 0.5 * (one.deviation() + two.deviation()) / one.deviation();
  const double half_a_row = 0.5 / static_cast<double>(groups[0].size());
  const double low = one.quantile_at({half_a_row, 1 - half_a_row}).value;
  const double high = one.quantile_at({1 - half_a_row, half_a_row}).value;
  const double rounding = 1e-9 * (one.deviation() + two.deviation() + std::abs(one.mean()));
  for (const double score : {0.001, 0.5, 10.0}) {
    const double step = score * one.deviation();
    const Image below = image(maps[0], low - step), above = image(maps[0], high + step);
    EXPECT_NEAR(image(maps[0], low).value - below.value, slope * step, rounding * (1 + score));
    EXPECT_NEAR(above.value - image(maps[0], high).value, slope * step, rounding * (1 + score));
    EXPECT_NEAR(below.log_slope, std::log(slope), 1e-12);
    EXPECT_NEAR(above.log_slope, std::log(slope), 1e-12);
  }
}

// A thousandth of the straight map is mixed in: no piece is flatter than that, so that the grid,
// too, can be undone. An image of size |y| rounded to eps comes back with 1000 eps |y| / s.
TEST_P(HistogramMapTest, SlopeFloorMakesTheGridInvertible) {
  for (const Index grid : {0, 100}) {
    for (const bool tails : {false, true}) {
      for (const auto& map : fit(GetParam().groups, {0.5, 0.5}, 30, grid, 1, tails, kSlopeFloor)) {
        const auto& source = std::get<HistogramMap>(map).source();
        const Image center = image(map, source.mean());
        const Image far = image(map, source.mean() + 1e6 * source.deviation());
        const double mean_slope = (far.value - center.value) / (1e6 * source.deviation());
        for (const double score : scores()) {
          const double x = source.mean() + score * source.deviation();
          const Image there = image(map, x);
          EXPECT_GT(std::exp(there.log_slope), 0.999 * kSlopeFloor * mean_slope) << score;
          const double rounding =
              1e3 * kEpsilon * (std::abs(there.value) / mean_slope + std::abs(x));
          EXPECT_NEAR(preimage(map, there.value).value, x,
                      1e-9 * (1 + std::abs(score)) * source.deviation() + 8 * rounding)
              << score;
        }
      }
    }
  }
}

// The paper's grid has no such remedy: the image of an empty bin is as short as its mass. What can
// be said is that the image of the preimage is right.
TEST_P(HistogramMapTest, ForwardUndoesInverseOnTheGrid) {
  for (const auto& map : fit(GetParam().groups, {0.5, 0.5}, 30, 100)) {
    const auto& source = std::get<HistogramMap>(map).source();
    for (const double score : scores()) {
      const Image there = image(map, source.mean() + score * source.deviation());
      const Image back = preimage(map, there.value);
      ASSERT_TRUE(std::isfinite(there.value) && std::isfinite(there.log_slope)) << score;
      const double rounding =
          kEpsilon * (std::abs(back.value) * std::exp(there.log_slope) + std::abs(there.value));
      const double scale = std::abs(there.value - image(map, source.mean()).value);
      EXPECT_NEAR(image(map, back.value).value, there.value, 1e-9 * scale + 64 * rounding) << score;
    }
  }
}

TEST_P(HistogramMapTest, IncreasesEverywhere) {
  for (const Index grid : {0, 100}) {
    for (const auto& map : fit(GetParam().groups, {0.4, 0.6}, 30, grid)) {
      const auto& source = std::get<HistogramMap>(map).source();
      double last = -std::numeric_limits<double>::infinity();
      for (double score = -12; score <= 12; score += 0.0037) {
        const double y = image(map, source.mean() + score * source.deviation()).value;
        ASSERT_GE(y, last - 4 * kEpsilon * std::abs(last)) << score;
        last = y;
      }
    }
  }
}

TEST_P(HistogramMapTest, LogSlopesMatchNumericalDerivatives) {
  for (const Index grid : {0, 100}) {
    for (const auto& map : fit(GetParam().groups, {0.5, 0.5}, 30, grid)) {
      const auto& source = std::get<HistogramMap>(map).source();
      // Rounding of far away values leaves no digits for a difference.
      if (std::abs(source.mean()) > 1e5 * source.deviation()) continue;
      int compared = 0, close = 0;
      for (double score = -11.97; score <= 12; score += 0.0731) {
        const double x = source.mean() + score * source.deviation();
        const double h = 1e-5 * source.deviation();
        const Image there = image(map, x);
        const double rise = image(map, x + h).value - image(map, x - h).value;
        // Flat pieces have differences of rounding only.
        if (rise < 1e6 * kEpsilon * std::abs(there.value)) continue;
        ++compared;
        if (std::abs(there.log_slope - std::log(rise / (2 * h))) < 1e-4) ++close;
      }
      // The slope jumps at the edges of bins, of both groups; few points are that near to one.
      EXPECT_GE(close, 0.97 * compared);
      EXPECT_GT(compared, 100);
    }
  }
}

TEST_P(HistogramMapTest, LogSlopesOfForwardAndInverseCancel) {
  for (const auto& map : fit(GetParam().groups, {0.5, 0.5}, 30)) {
    const auto& source = std::get<HistogramMap>(map).source();
    int apart = 0;
    for (const double score : scores()) {
      const Image there = image(map, source.mean() + score * source.deviation());
      const Image back = preimage(map, there.value);
      if (std::abs(there.log_slope + back.log_slope) > 1e-6) ++apart;
    }
    // A point on the edge of a bin may come back on the other side of it.
    EXPECT_LE(apart, 2);
  }
}

TEST_P(HistogramMapTest, LeavesTheGroupThatHasAllTheWeight) {
  const auto maps = fit(GetParam().groups, {1, 0}, 30);
  const auto& source = std::get<HistogramMap>(maps[0]).source();
  for (const double score : scores()) {
    const double x = source.mean() + score * source.deviation();
    EXPECT_NEAR(image(maps[0], x).value, x, 1e-9 * (1 + std::abs(score)) * source.deviation());
    EXPECT_NEAR(image(maps[0], x).log_slope, 0, 1e-9) << score;
  }
}

TEST_P(HistogramMapTest, MovesTheFractionOfTheWayThatStrengthSays) {
  const auto whole = fit(GetParam().groups, {0.5, 0.5}, 30);
  const auto part = fit(GetParam().groups, {0.5, 0.5}, 30, 0, 0.3);
  for (std::size_t m = 0; m < whole.size(); ++m) {
    const auto& source = std::get<HistogramMap>(whole[m]).source();
    for (const double score : scores()) {
      const double x = source.mean() + score * source.deviation();
      const Image full = image(whole[m], x);
      const Image some = image(part[m], x);
      EXPECT_NEAR(some.value, 0.7 * x + 0.3 * full.value,
                  1e-12 * (std::abs(x) + std::abs(full.value)));
      EXPECT_NEAR(std::exp(some.log_slope) / (0.7 + 0.3 * std::exp(full.log_slope)), 1, 1e-9);
    }
  }
}

// Lower and upper tails go through different branches everywhere.
TEST_P(HistogramMapTest, MirroredGroupsGiveMirroredMaps) {
  auto mirrored = GetParam().groups;
  for (auto& values : mirrored) {
    for (double& x : values) x = -x;
  }
  for (const Index grid : {0, 100}) {
    const auto maps = fit(GetParam().groups, {0.5, 0.5}, 30, grid);
    const auto mirror_maps = fit(mirrored, {0.5, 0.5}, 30, grid);
    for (std::size_t m = 0; m < maps.size(); ++m) {
      const auto& source = std::get<HistogramMap>(maps[m]).source();
      for (const double score : scores()) {
        const double x = source.mean() + score * source.deviation();
        const Image here = image(maps[m], x);
        const double steepness = std::max(1.0, std::exp(here.log_slope));
        const double scale =
            (1 + std::abs(score)) * source.deviation() * steepness + 1e-3 * std::abs(here.value);
        EXPECT_NEAR(here.value, -image(mirror_maps[m], -x).value, 1e-7 * scale)
            << score << " grid " << grid;
      }
    }
  }
}

// Values 1e200 away, and beyond all numbers.
TEST_P(HistogramMapTest, StaysFiniteForExtremePoints) {
  for (const Index grid : {0, 100}) {
    for (const auto& map : fit(GetParam().groups, {0.5, 0.5}, 30, grid)) {
      for (const double x : {-1e200, 1e200}) {
        EXPECT_TRUE(std::isfinite(image(map, x).value));
        EXPECT_TRUE(std::isfinite(image(map, x).log_slope));
        EXPECT_TRUE(std::isfinite(preimage(map, x).value));
        EXPECT_TRUE(std::isfinite(preimage(map, x).log_slope));
      }
      EXPECT_TRUE(std::isnan(image(map, std::nan("")).value));
      EXPECT_TRUE(std::isnan(preimage(map, std::nan("")).value));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Groups, HistogramMapTest, testing::ValuesIn(cases()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace histogram_map_laws_test
}  // namespace conflux

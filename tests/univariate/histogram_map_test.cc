#include "univariate/histogram_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/rng.h"
#include "kernels/normal.h"
#include "univariate/barycenter.h"

namespace conflux {
namespace {

using testing::ElementsAre;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

std::vector<double> normal_values(Index count, double mean, double deviation, std::uint64_t name) {
  Stream stream(10, Purpose::kTest, name);
  std::vector<double> out(count);
  for (double& x : out) x = mean + deviation * stream.normal();
  return out;
}

// Two narrow modes, with empty bins between them.
std::vector<double> two_modes(Index count, double share, double distance, std::uint64_t name) {
  std::vector<double> out = normal_values(count, 0, 0.1, name);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (static_cast<double>(i) >= share * static_cast<double>(count)) out[i] += distance;
  }
  return out;
}

// Tails of one part in 1e15 leave the estimator of the reference as it is.
constexpr double kHardlyAnyTail = 1e-15;

GroupHistogram histogram_of(const std::vector<double>& values, Index bins,
                            double pooled_deviation = 1, const std::vector<double>& masses = {},
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

std::vector<MonotoneMap> fit(const std::vector<std::vector<double>>& groups,
                             const std::vector<double>& weights, Index bins, Index grid = 0,
                             double strength = 1, bool tails = false, double slope_floor = 0) {
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

Image image(const MonotoneMap& map, double x) {
  Image out{x, 0};
  forward(map, {&out.value, 1}, &out.log_slope);
  return out;
}

Image preimage(const MonotoneMap& map, double y) {
  Image out{y, 0};
  inverse(map, {&out.value, 1}, &out.log_slope);
  return out;
}

// From far beyond the straight tails to the middle.
std::vector<double> scores() {
  std::vector<double> out{-1e6, -1000, -100, -37, -12, -8.5, 8.5, 12, 37, 100, 1000, 1e6};
  for (double score = -8; score <= 8; score += 0.0731) out.push_back(score);
  return out;
}

// The value is rounded to eps of the numbers it comes from, and a flat map magnifies that.
void expect_invertible(const MonotoneMap& map, double tolerance = 1e-9) {
  const GaussianHistogram& source = std::get<HistogramMap>(map).source();
  for (const double score : scores()) {
    const double x = source.mean() + score * source.deviation();
    const Image there = image(map, x);
    const Image back = preimage(map, there.value);
    ASSERT_TRUE(std::isfinite(there.value) && std::isfinite(there.log_slope)) << score;
    ASSERT_NEAR(back.value, x, tolerance * (1 + std::abs(score)) * source.deviation()) << score;
  }
}

struct Golden {
  std::size_t group;
  double z, level, grid, grid_slope, exact, exact_slope;
};

// The authors' reference code, run in double precision.
const std::vector<std::vector<double>> kGoldenGroups{{0.1, 0.4, 0.5, 0.7, 1.3, 1.9, 2.0, 2.4},
                                                     {-1, -0.5, -0.2, 0, 0.3, 0.9, 1.1, 3}};
const std::vector<Golden> kGolden{
    {0, 0.5, 0.3070248510, 0.1504371398, 0.0956853513, 0.1504418294, 0.0965127261},
    {0, 2.4, 0.9075223492, 1.9453281961, 0.3940423853, 1.9454189121, 0.3978277610},
    {0, 4.0, 0.9996924614, 4.0556820834, 0.2027121120, 4.1007638417, 0.2479335555},
    {0, -1.5, 0.0006858451, -2.3878417112, 0.2245224643, -2.3826249105, 0.2193253848},
    {1, 0.0, 0.3987021401, 0.3676486499, 0.4740635549, 0.3676942246, 0.4754859732},
    {1, 3.0, 0.9929899825, 3.1210312817, -0.2054202062, 3.1248191652, -0.2199139106},
    {1, -3.0, 0.0014791388, -2.1649939633, -0.1737729789, -2.1611807686, -0.1812761586}};

TEST(HistogramMap, MatchesTheReferenceInAllPrintedDigits) {
  const std::vector<double> halves{0.5, 0.5};
  const auto grid = fit(kGoldenGroups, halves, 4, 100);
  const auto exact = fit(kGoldenGroups, halves, 4);
  for (const Golden& row : kGolden) {
    const double printed = 0.51e-10;
    const auto& source = std::get<HistogramMap>(exact[row.group]).source();
    EXPECT_NEAR(source.level_at(row.z).level.below, row.level, printed);
    EXPECT_NEAR(image(grid[row.group], row.z).value, row.grid, printed) << row.z;
    EXPECT_NEAR(image(grid[row.group], row.z).log_slope, row.grid_slope, printed) << row.z;
    EXPECT_NEAR(image(exact[row.group], row.z).value, row.exact, printed) << row.z;
    EXPECT_NEAR(image(exact[row.group], row.z).log_slope, row.exact_slope, printed) << row.z;
  }
}

TEST(HistogramMap, ReferenceStatisticsAndThinnedBarycenter) {
  const GroupHistogram one = histogram_of(kGoldenGroups[0], 4);
  const GroupHistogram two = histogram_of(kGoldenGroups[1], 4);
  EXPECT_DOUBLE_EQ(one.mean, 1.1625);
  EXPECT_DOUBLE_EQ(one.deviation, 0.8030216373174511);
  EXPECT_THAT(one.counts, ElementsAre(3, 1, 1, 3));
  EXPECT_DOUBLE_EQ(two.deviation, 1.16081867662439);
  EXPECT_THAT(two.counts, ElementsAre(2, 3, 2, 1));
  const HistogramBarycenter barycenter{
      {{one.mean, one.deviation, one.counts, 1e-6}, {two.mean, two.deviation, two.counts, 1e-6}},
      {0.5, 0.5}};
  const HistogramBarycenter thin = thin_barycenter(barycenter, 100);
  ASSERT_EQ(thin.parts.size(), 1u);
  EXPECT_NEAR(thin.parts[0].mean(), 0.6904143986083102, 1e-14);
  EXPECT_NEAR(thin.parts[0].deviation(), 0.9687966256354082, 1e-14);
  EXPECT_NEAR(thin.quantile({0.005, 0.995}), -1.7781050443, 0.51e-10);
  EXPECT_NEAR(thin.quantile({0.495, 0.505}), 0.6690873452, 0.51e-10);
  EXPECT_NEAR(thin.quantile({0.995, 0.005}), 3.2458038018, 0.51e-10);
}

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
        const Image centre = image(map, source.mean());
        const Image far = image(map, source.mean() + 1e6 * source.deviation());
        const double mean_slope = (far.value - centre.value) / (1e6 * source.deviation());
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

// Neighbouring numbers are further apart than any tolerance that is a share of the deviation: the
// search must end when its bracket cannot shrink any more.
TEST(HistogramMap, InverseEndsWhereNumbersAreCoarserThanTheGroup) {
  for (const double place : {1e8, 1e12, 1e15}) {
    for (const double deviation : {1e-8, 1e-3, 1.0}) {
      const auto maps = fit({normal_values(100, place, deviation, 30),
                             normal_values(100, -place, deviation, 31), normal_values(9, 0, 1, 32)},
                            {0.3, 0.3, 0.4}, 14);
      for (const auto& map : maps) {
        const double x = std::get<HistogramMap>(map).source().mean();
        for (const double score : scores()) {
          const double z = x + score * std::get<HistogramMap>(map).source().deviation();
          EXPECT_TRUE(std::isfinite(preimage(map, image(map, z).value).value));
        }
      }
    }
  }
}

TEST(HistogramMap, OfEqualGroupsIsTheIdentity) {
  const auto values = two_modes(600, 0.3, 4, 20);
  for (const auto& map : fit({values, values, values}, {0.2, 0.3, 0.5}, 40)) {
    for (double x = -10; x < 15; x += 0.01) {
      EXPECT_NEAR(image(map, x).value, x, 1e-13);
      EXPECT_NEAR(image(map, x).log_slope, 0, 1e-13);
    }
  }
}

// The grid interpolates in the normal score between 100 quantiles. Histograms of 30 bins are steps
// that it smooths: 0.02 deviations in the bulk, and less than that with many equal draws.
TEST(HistogramMap, GridIsCloseToTheExactMapInTheBulk) {
  const std::vector<std::vector<double>> groups{normal_values(3000, 0, 1, 21),
                                                normal_values(3000, 3, 2, 22)};
  const auto exact = fit(groups, {0.5, 0.5}, 30);
  const auto grid = fit(groups, {0.5, 0.5}, 30, 100);
  for (std::size_t m = 0; m < 2; ++m) {
    const auto& source = std::get<HistogramMap>(exact[m]).source();
    for (double score = -2; score <= 2; score += 0.01) {
      const double x = source.mean() + score * source.deviation();
      EXPECT_NEAR(image(grid[m], x).value, image(exact[m], x).value, 0.02);
    }
  }
}

TEST(HistogramMap, BringsShiftedAndScaledNormalsTogether) {
  const auto base = normal_values(2000, 0, 1, 23);
  auto other = base;
  for (double& x : other) x = 3 * x - 5;
  const auto maps = fit({base, other}, {0.5, 0.5}, 45);
  for (const double x : base) {
    EXPECT_NEAR(image(maps[0], x).value, 2 * x - 2.5, 1e-12);
    EXPECT_NEAR(image(maps[1], 3 * x - 5).value, 2 * x - 2.5, 1e-12);
  }
}

// One group is constant, so its deviation is the floor, 1e-8 of the pooled one: its map is as steep
// as 1e8, and the other group shrinks to half around it.
TEST(HistogramMap, OfAConstantGroupIsInvertible) {
  const std::vector<std::vector<double>> groups{std::vector<double>(100, 0.0),
                                                normal_values(100, 3, 1, 24)};
  for (const Index grid : {0, 100}) {
    const auto maps = fit(groups, {0.5, 0.5}, 14, grid);
    const auto& source = std::get<HistogramMap>(maps[0]).source();
    EXPECT_DOUBLE_EQ(source.deviation(), 1e-8);
    for (const double score : {-100.0, -8.0, -2.0, 0.0, 0.1, 1.0, 8.0, 100.0}) {
      const double x = score * 1e-8;
      EXPECT_NEAR(preimage(maps[0], image(maps[0], x).value).value, x, 1e-14);
    }
    if (grid == 0) expect_invertible(maps[1]);
    for (const double x : groups[1]) EXPECT_NEAR(image(maps[1], x).value, 0.5 * x, 0.05);
  }
}

TEST(HistogramMap, OfConstantGroupsIsAShift) {
  std::vector<GroupHistogram> histograms;
  for (const double place : {2.0, 6.0}) {
    histograms.push_back(histogram_of(std::vector<double>(10, place), 5, 0));
  }
  const std::vector<double> halves{0.5, 0.5};
  const auto maps = fit_histogram_maps(histograms, halves, {.slope_floor = 0}, 1);
  for (const double x : {-50.0, 0.0, 2.0, 2.7, 90.0}) {
    EXPECT_NEAR(image(maps[0], x).value, x + 2, 1e-12);
    EXPECT_NEAR(image(maps[1], x).value, x - 2, 1e-12);
  }
}

// Half a row of one row is half of all: there is nothing between the tails.
TEST(HistogramMap, OfSingleRowsIsInvertible) {
  for (const auto& map : fit({{3.0}, {5.0}}, {0.5, 0.5}, 1, 0, 1, true)) {
    EXPECT_NEAR(image(map, std::get<HistogramMap>(map).source().mean()).value, 4, 1e-12);
    expect_invertible(map, 1e-6);  // deviations of 1e-8 at values of 5
  }
}

TEST(NormalBins, CountEdgesToTheRightAndEveryValueOnce) {
  // The median is the edge between the two bins.
  EXPECT_THAT(count_in_normal_bins(std::vector<double>{-1, 0, 1, 2}, {}, 0, 1, 2),
              ElementsAre(1, 3));
  EXPECT_THAT(count_in_normal_bins(std::vector<double>{-1e9, 1e9}, {}, 0, 1, 3),
              ElementsAre(1, 0, 1));
  EXPECT_THAT(count_in_normal_bins({}, {}, 0, 1, 3), ElementsAre(0, 0, 0));
}

TEST(NormalBins, CountMasses) {
  const std::vector<double> values{-1, 0.5, 0.5, 2}, masses{0.5, 2, 0, 3};
  EXPECT_THAT(count_in_normal_bins(values, masses, 0, 1, 2), ElementsAre(0.5, 5));
}

TEST(HistogramMap, CountsWeighedValuesAsRepeatedOnes) {
  const std::vector<double> values{-1, 0, 2, 5}, masses{2, 1, 3, 2};
  const std::vector<double> repeated{-1, -1, 0, 2, 2, 2, 5, 5};
  const GroupHistogram weighed = histogram_of(values, 4, 1, masses);
  const GroupHistogram plain = histogram_of(repeated, 4);
  EXPECT_NEAR(weighed.mean, plain.mean, 1e-15);
  EXPECT_NEAR(weighed.deviation, plain.deviation, 1e-15);
  EXPECT_EQ(weighed.counts, plain.counts);
}

TEST(GaussianHistogram, QuantileUndoesCdfInBothTails) {
  const GaussianHistogram law(3, 2, std::vector<double>{4, 1, 7, 3, 2}, 1e-6);
  for (double score = -30; score <= 30; score += 0.173) {
    const double z = 3 + 2 * score;
    EXPECT_NEAR(law.quantile_at(law.level_at(z).level).value, z, 1e-12 * (1 + std::abs(score)))
        << score;
  }
}

// Nearly all the mass is in the lowest bin, so levels come near 1 while scores are still below 0.
TEST(GaussianHistogram, KeepsTheDigitsOfALevelThatCrossesTheMiddle) {
  const double tiny = 1e-12;
  for (const bool low : {true, false}) {
    std::vector<double> counts(8, tiny);
    counts[low ? 0 : 7] = 1;
    const GaussianHistogram law(0, 1, counts, 0);
    const double total = 1 + 7 * tiny;
    for (double p = 0.13; p < 1; p += 0.05) {
      const double x = kernels::normal_quantile(p, 1 - p) * (low ? 1 : -1);
      const Probability u = law.level_at(x).level;
      // Above p, the bins of mass `tiny` and width 1/8 hold this much.
      const double rest = (1 - p) * 8 * tiny / total;
      EXPECT_NEAR((low ? u.above : u.below) / rest, 1, 1e-12) << p;
      EXPECT_NEAR(law.quantile_at(u).value, x, 1e-11) << p;
    }
  }
}

TEST(GaussianHistogram, DensityIsTheDerivativeOfTheDistribution) {
  const GaussianHistogram law(-1, 0.5, std::vector<double>{4, 1, 7, 3, 2}, 0.5);
  int close = 0, compared = 0;
  for (double z = -3; z < 1; z += 0.0173) {
    const double h = 1e-5;
    const double slope =
        (law.level_at(z + h).level.below - law.level_at(z - h).level.below) / (2 * h);
    ++compared;
    if (std::abs(law.level_at(z).density - slope) < 1e-6) ++close;
  }
  EXPECT_GE(close, compared - 4);  // four inner edges
}

TEST(GaussianHistogram, ThroughQuantilesMeetsThem) {
  const std::vector<double> values{-3, -0.2, 0.1, 4};
  const std::vector<Probability> levels{{0.1, 0.9}, {0.3, 0.7}, {0.8, 0.2}, {0.99, 0.01}};
  const GaussianHistogram law(0.3, 1.7, values, levels);
  for (std::size_t j = 0; j < values.size(); ++j) {
    EXPECT_NEAR(law.quantile_at(levels[j]).value, values[j], 1e-13);
    EXPECT_NEAR(law.level_at(values[j]).level.below, levels[j].below, 1e-15);
  }
}

// One far outlier among the points of a thinned barycenter stands 9.9 deviations from their mean,
// where the normal law leaves 1e-23. That is a number like any other, on either side.
TEST(GaussianHistogram, ThroughFarQuantilesMeetsThemOnBothSides) {
  std::vector<Probability> levels;
  for (int j = 0; j < 100; ++j) levels.push_back({0.005 + 0.01 * j, 0.995 - 0.01 * j});
  for (const double side : {-1.0, 1.0}) {
    std::vector<double> values(100);
    for (int j = 0; j < 100; ++j) values[j] = 0.001 * j;
    values[side < 0 ? 0 : 99] = 1000 * side;
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / 100;
    double variance = 0;
    for (const double x : values) variance += (x - mean) * (x - mean) / 100;
    const GaussianHistogram law(mean, std::sqrt(variance), values, levels);
    for (std::size_t j = 0; j < 100; ++j) {
      EXPECT_NEAR(law.quantile_at(levels[j]).value, values[j], 1e-9)
          << "side " << side << ", point " << j;
    }
  }
}

RC_GTEST_PROP(HistogramMap, IsInvertibleForAnyCounts, ()) {
  const auto counts = [] {
    std::vector<double> out(*rc::gen::inRange<std::size_t>(1, 20));
    for (double& count : out) count = std::max(0, *rc::gen::inRange(-20, 100));
    out.back() += 1;
    return out;
  };
  std::vector<GroupHistogram> groups;
  for (int m = 0; m < 3; ++m) {
    groups.push_back({0.1 * *rc::gen::inRange(-50, 50), 0.1 * *rc::gen::inRange(1, 50), counts(),
                      kHardlyAnyTail});
  }
  const std::vector<double> weights{0.2, 0.3, 0.5};
  for (const double slope_floor : {0.0, kSlopeFloor}) {
    for (const auto& map : fit_histogram_maps(groups, weights, {.slope_floor = slope_floor}, 1)) {
      expect_invertible(map, 1e-9);
    }
  }
  RC_ASSERT(!testing::Test::HasFailure());
}

}  // namespace
}  // namespace conflux

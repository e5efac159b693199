#include "univariate/histogram_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/normal.h"
#include "tests/univariate/histogram_samples.h"

namespace conflux {
namespace histogram_map_test {

using testing::ElementsAre;

struct Golden {
  std::size_t group;
  double z, level, grid, grid_slope, exact, exact_slope;
};

// The authors' reference code, run in double precision, on kGoldenGroups.
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

// Neighboring numbers are further apart than any tolerance that is a share of the deviation: the
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

TEST(HistogramMap, CountsWeighedValuesAsRepeatedOnes) {
  const std::vector<double> values{-1, 0, 2, 5}, masses{2, 1, 3, 2};
  const std::vector<double> repeated{-1, -1, 0, 2, 2, 2, 5, 5};
  const GroupHistogram weighed = histogram_of(values, 4, 1, masses);
  const GroupHistogram plain = histogram_of(repeated, 4);
  EXPECT_NEAR(weighed.mean, plain.mean, 1e-15);
  EXPECT_NEAR(weighed.deviation, plain.deviation, 1e-15);
  EXPECT_EQ(weighed.counts, plain.counts);
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

}  // namespace histogram_map_test
}  // namespace conflux

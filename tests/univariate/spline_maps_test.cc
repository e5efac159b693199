#include "univariate/spline_maps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/rng.h"

namespace conflux {
namespace spline_maps_test {

std::vector<double> normal_sample(Index count, double mean, double deviation, std::uint64_t name) {
  Stream stream(7, Purpose::kTest, name);
  std::vector<double> out(static_cast<std::size_t>(count));
  for (double& value : out) value = mean + deviation * stream.normal();
  std::sort(out.begin(), out.end());
  return out;
}

QuantileSummary whole(const std::vector<double>& sorted) {
  return summarize(sorted, {}, static_cast<Index>(sorted.size()));
}

double value_at(const MonotoneMap& map, double x) {
  forward(map, {&x, 1}, nullptr);
  return x;
}

// 380 levels from 1/381 on, and 10 more below the first: as the reference code spaces them.
TEST(SplineLevels, AreThoseOfTheReferenceFor400Knots) {
  const std::vector<double> levels = spline_levels(400);
  ASSERT_EQ(levels.size(), 400u);
  EXPECT_TRUE(std::is_sorted(levels.begin(), levels.end(), std::less_equal<>()));
  EXPECT_DOUBLE_EQ(levels[0], 1.0 / 381 / 11);
  EXPECT_DOUBLE_EQ(levels[9], 10.0 / 381 / 11);
  EXPECT_DOUBLE_EQ(levels[10], 1.0 / 381);
  EXPECT_DOUBLE_EQ(levels[389], 380.0 / 381);
  EXPECT_DOUBLE_EQ(levels[399], 1 - 1.0 / 381 / 11);
  EXPECT_EQ(spline_levels(1), (std::vector<double>{0.5}));
}

TEST(SplineQuantiles, InterpolateBetweenOrderStatistics) {
  const QuantileSummary sample = whole({1, 2, 4, 8, 16});
  EXPECT_THAT(quantiles_at(sample, std::vector<double>{0, 0.125, 0.25, 0.9, 1}),
              testing::ElementsAre(1, 1.5, 2, 12.8, 16));
  EXPECT_THAT(quantiles_at(whole({3}), std::vector<double>{0.2, 0.8}), testing::ElementsAre(3, 3));
}

// A row of mass 2 stands for two rows, except that nothing lies between them.
TEST(SplineQuantiles, WithWholeMassesMeetThoseOfRepeatedRowsAtTheRows) {
  QuantileSummary weighted = whole({1, 2, 5});
  weighted.masses = {1, 3, 1};
  EXPECT_THAT(quantiles_at(weighted, std::vector<double>{0, 0.25, 0.5, 0.75, 1}),
              testing::ElementsAre(1, 1.5, 2, 3.5, 5));
  EXPECT_THAT(quantiles_at(whole({1, 2, 2, 2, 5}), std::vector<double>{0, 0.5, 1}),
              testing::ElementsAre(1, 2, 5));
}

TEST(SplineMaps, TakeTheGroupsToTheTarget) {
  const std::vector<double> a = normal_sample(2000, -1, 0.5, 1);
  const std::vector<double> b = normal_sample(3000, 2, 2, 2);
  const std::vector<QuantileSummary> groups{whole(a), whole(b)};
  const std::vector<MonotoneMap> maps = fit_spline_maps(groups, std::vector{0.0, 1.0}, 400, 1);
  // Both are normal: the map is straight up to sampling noise.
  for (double x = -1.5; x < 0; x += 0.1) EXPECT_NEAR(value_at(maps[0], x), 2 + 4 * (x + 1), 0.3);
  // Quantiles go to quantiles.
  const std::vector<double> levels = spline_levels(400);
  const std::vector<double> from = quantiles_at(groups[0], levels);
  const std::vector<double> to = quantiles_at(groups[1], levels);
  for (std::size_t q = 0; q < levels.size(); ++q)
    EXPECT_NEAR(value_at(maps[0], from[q]), to[q], 1e-3);
  // The target stays to the last bit.
  for (const double x : b) EXPECT_EQ(value_at(maps[1], x), x);
}

TEST(SplineMaps, StrengthIsTheFractionOfTheWay) {
  const std::vector<QuantileSummary> groups{whole(normal_sample(500, 0, 1, 3)),
                                            whole(normal_sample(500, 5, 2, 4))};
  const std::vector<double> weights{0.5, 0.5};
  const auto full = fit_spline_maps(groups, weights, 100, 1);
  const auto half = fit_spline_maps(groups, weights, 100, 0.5);
  for (const double x : quantiles_at(groups[0], spline_levels(100))) {
    EXPECT_NEAR(value_at(half[0], x), 0.5 * (x + value_at(full[0], x)), 1e-9);
  }
}

TEST(SplineMaps, OfOneMoreGroupEqualThoseOfTheSameRows) {
  const std::vector<QuantileSummary> groups{whole(normal_sample(500, 0, 1, 5)),
                                            whole(normal_sample(400, 5, 2, 6))};
  std::vector<double> barycenter;
  const auto maps = fit_spline_maps(groups, std::vector{0.3, 0.7}, 50, 1, &barycenter);
  const RationalQuadraticMap again = fit_spline_map_to(groups[0], barycenter, 1);
  EXPECT_EQ(again.from(), std::get<RationalQuadraticMap>(maps[0]).from());
  EXPECT_EQ(again.to(), std::get<RationalQuadraticMap>(maps[0]).to());
}

// The reference draws random levels until no two quantiles coincide, which never ends with atoms.
TEST(SplineMaps, SurviveTiesAndConstantGroups) {
  std::vector<double> ties(300, 1.0);
  for (std::size_t i = 200; i < 300; ++i) ties[i] = i < 280 ? 2.0 : 2.0 + 1e-9;
  const std::vector<double> spread = normal_sample(300, 0, 1, 7);
  const std::vector<double> constant(300, 4.0);
  const std::vector<std::vector<double>> samples{ties, spread, constant, {5.0}};
  for (const auto& a : samples) {
    for (const auto& b : samples) {
      const std::vector<QuantileSummary> groups{whole(a), whole(b)};
      for (const MonotoneMap& map : fit_spline_maps(groups, std::vector{0.25, 0.75}, 400, 1)) {
        for (double x = -5; x < 10; x += 0.37) {
          double value = x, sum = 0;
          forward(map, {&value, 1}, &sum);
          ASSERT_TRUE(std::isfinite(value) && std::isfinite(sum));
          inverse(map, {&value, 1}, &sum);
          // Slopes reach 1e3 of the mean.
          ASSERT_NEAR(value, x, 1e-9);
          ASSERT_NEAR(sum, 0, 1e-6);
        }
      }
    }
  }
}

TEST(SplineMaps, AShiftIsAShift) {
  const std::vector<double> a = normal_sample(100, 0, 1, 8);
  std::vector<double> b = a;
  for (double& value : b) value += 7.5;
  const std::vector<QuantileSummary> groups{whole(a), whole(b)};
  const auto maps = fit_spline_maps(groups, std::vector{0.0, 1.0}, 400, 1);
  for (double x = -9; x < 9; x += 0.1) EXPECT_NEAR(value_at(maps[0], x), x + 7.5, 1e-9);
}

}  // namespace spline_maps_test
}  // namespace conflux

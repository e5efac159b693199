#include "columns/measured_scales.h"

#include <gtest/gtest.h>

namespace conflux {
namespace measured_scales_test {

Feature score(std::vector<double> values, std::vector<double> coordinates) {
  Feature out{.name = "x", .kind = FeatureKind::kWhole, .scale = FeatureScale::kNormal};
  out.spread_knots = std::move(values);
  out.coordinate_knots = std::move(coordinates);
  return out;
}

MeasuredScale only_scale_of(Feature feature) {
  Columns columns;
  columns.features = {std::move(feature)};
  const std::vector<MeasuredScale> found = measured_scales(columns);
  return found.empty() ? MeasuredScale{} : found.front();
}

// Values 1 to 2 and 8 to 9 with nothing between: scores close the gap, and this opens it again.
TEST(MeasuredScales, OpenTheGapsThatScoresClose) {
  const MeasuredScale scale = only_scale_of(score({1, 2, 8, 9}, {-3, -0.01, 0.01, 3}));
  const double gap = scale.value(0.01) - scale.value(-0.01);
  EXPECT_GT(gap, scale.value(-0.01) - scale.value(-3));
  EXPECT_GT(gap, scale.value(3) - scale.value(0.01));
  EXPECT_LT(scale.value(-3), scale.value(-0.01));
}

// A value at 10^6 must not be the only thing that distances see.
TEST(MeasuredScales, DrawInHeavyTails) {
  const MeasuredScale scale = only_scale_of(score({-1, 0, 1, 1e6}, {-1, 0, 1, 3}));
  EXPECT_LT(scale.value(3), 20);
  EXPECT_GT(scale.value(3), scale.value(1));
}

TEST(MeasuredScales, LeaveOtherFeaturesAlone) {
  Feature plain = score({1, 2}, {-1, 1});
  plain.scale = FeatureScale::kStandard;
  EXPECT_TRUE(only_scale_of(plain).coordinates.empty());
  Feature category = score({1, 2}, {-1, 1});
  category.kind = FeatureKind::kCategory;
  EXPECT_TRUE(only_scale_of(category).coordinates.empty());
  // Nine rows of ten have no gain: gaps behind them mean nothing.
  Feature gains = score({-0.5, 0.5, 5000}, {-3, 1.3, 3});
  gains.atoms = {{.value = 0, .cell = {-0.5, 0.5}, .share = 0.9}};
  EXPECT_TRUE(only_scale_of(gains).coordinates.empty());
  // So do gaps between the rates of three regions.
  Feature rates = score({3.1, 3.3, 8.9}, {-3, 1.3, 3});
  rates.held = {{.range = {3.1, 8.9}, .values = {3.1, 3.3, 8.9}}};
  EXPECT_TRUE(only_scale_of(rates).coordinates.empty());
  EXPECT_DOUBLE_EQ(MeasuredScale{}.value(0.25), 0.25);
}

TEST(ValueOf, MakesSpreadValuesEqualAgain) {
  Columns columns;
  EXPECT_FALSE(value_of(columns));
  columns.features = {score({-0.5, 3.5}, {-2, 2})};
  EXPECT_FALSE(value_of(columns));
  columns.features[0].decimals = 0;
  const auto value = value_of(columns);
  for (const double place : {0.1, 0.5, 0.9}) {
    const double coordinate = columns.features[0].coordinate(columns.features[0].spread(2, place));
    EXPECT_EQ(value(0, coordinate), 2);
  }
}

}  // namespace measured_scales_test
}  // namespace conflux

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "conflux/columns/columns.h"

namespace conflux {
namespace feature_test {

Feature tenths() {
  Feature out;
  out.kind = FeatureKind::kWhole;
  out.decimals = 1;
  out.support = {0, 100};
  out.held = {{{0.3, 60}, {}}, {{1, 2}, {1, 1.5, 2}}};
  return out;
}

Feature rain() {
  Feature out;
  out.kind = FeatureKind::kRepeated;
  out.support.low = 0;
  out.atoms = {{0, {-0.1, 0}, 0.5}, {7, {7 - 1e-9, 7 + 1e-9}, 0.1}};
  out.spread_knots = {-0.1, 0, 7 - 1e-9, 7 + 1e-9, 30};
  out.coordinate_knots = {-2, 0, 1, 1.5, 4};
  out.held = {{{0, 30}, {}}};
  return out;
}

// A share with many zeros and ones, which are spread beyond the edges.
Feature edges() {
  Feature out;
  out.kind = FeatureKind::kRepeated;
  out.support = {0, 1};
  out.atoms = {{0, {-0.01, 0}, 0.5}, {1, {1, 1.01}, 0.3}};
  out.held = {{{0, 1}, {}}};
  return out;
}

// 0.1 + 0.2 is not 0.3: values must come back as their decimal text is read, not as a sum.
TEST(Feature, ReturnsDecimalNumbersToTheBit) {
  const Feature feature = tenths();
  for (int k = 0; k <= 1000; ++k) {
    const double value = k / 10.0;
    for (const double place : {0.0, 0.3, 0.999999}) {
      EXPECT_EQ(feature.gathered(feature.spread(value, place)), value);
    }
  }
}

TEST(Feature, SpreadsEqualValuesAndKeepsTheirOrder) {
  const Feature feature = tenths();
  EXPECT_NE(feature.spread(2.5, 0.1), feature.spread(2.5, 0.2));
  EXPECT_LT(feature.spread(2.5, 0.999), feature.spread(2.6, 0.001));
}

// A value that the fit has not seen, between atoms or beyond them, must return as well.
TEST(Feature, ReturnsAtomsAndNumbersBetweenThem) {
  const Feature feature = rain();
  for (const double value : {0.0, 1e-7, 0.5, 6.9999, 7.0, 12.25, 500.0}) {
    const double point = feature.spread(value, 0.7);
    const double back = feature.gathered(feature.point(feature.coordinate(point)));
    if (value == 0 || value == 7) {
      EXPECT_EQ(back, value);
    } else {
      EXPECT_NEAR(back, value, 1e-12 * value);
    }
  }
}

// New data may have more decimals than the fit, and values beyond a support that was predicted.
RC_GTEST_PROP(Feature, ReturnsValuesThatTheFitHasNotSeen, ()) {
  const double value = 1e-6 * *rc::gen::inRange(-2'000'000'000, 2'000'000'000);
  const double place = (*rc::gen::inRange(0, 1000) + 0.5) / 1000;
  for (const Feature& feature : {tenths(), rain(), edges()}) {
    const double back =
        feature.gathered(feature.point(feature.coordinate(feature.spread(value, place))));
    if (feature.has_cell(value)) RC_ASSERT(back == value);
    RC_ASSERT(std::abs(back - value) <= 1e-11 * std::max(1.0, std::abs(value)));
  }
}

// Order is what an increasing map needs: a value between two others must lie between their cells.
RC_GTEST_PROP(Feature, KeepsTheOrderOfSeenAndUnseenValues, ()) {
  const double a = 1e-3 * *rc::gen::inRange(-100'000, 100'000);
  const double b = a + 1e-3 * *rc::gen::inRange(1, 200);
  for (const Feature& feature : {tenths(), rain(), edges()}) {
    RC_ASSERT(feature.spread(a, 0.999) < feature.spread(b, 0.001));
  }
}

TEST(Feature, NeverLeavesItsSupportInAnotherGroup) {
  const Feature dry = rain();
  EXPECT_EQ(dry.fitted_to_group(-3, 0), 0);
  Feature wind = rain();
  wind.atoms.clear();
  wind.held = {{{0.5, 20}, {}}};
  double last = 0;
  for (const double point : {-1e3, -1.0, 0.0, 0.25, 0.49, 0.5, 0.6}) {
    const double value = wind.fitted_to_group(point, 0);
    EXPECT_GE(value, last) << point;
    EXPECT_GE(value, 0) << point;
    last = value;
  }
  EXPECT_EQ(last, 0.6);
}

TEST(Feature, TakesValuesThatTheOtherGroupHolds) {
  const Feature feature = tenths();
  EXPECT_EQ(feature.fitted_to_group(1.19, 1), 1);
  EXPECT_EQ(feature.fitted_to_group(55, 1), 2);
  EXPECT_EQ(feature.fitted_to_group(-5, 0), 0);
  EXPECT_EQ(feature.fitted_to_group(1.19, 0), 1.2);
}

}  // namespace feature_test
}  // namespace conflux

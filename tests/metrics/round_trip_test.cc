#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "conflux/core/error.h"
#include "conflux/metrics/moves.h"
#include "tests/metrics/clouds.h"

namespace conflux {
namespace round_trip_test {

TEST(RoundTrip, OfAnExactReturnIsZero) {
  const Matrix x = normal_cloud(20, 3, 1);
  EXPECT_EQ(round_trip_error(x, x).largest, 0);
  EXPECT_EQ(round_trip_error(x, x).root_mean_square, 0);
}

TEST(RoundTrip, FindsTheWorstRowRelativeToTheSpreadOfItsFeature) {
  Matrix x(4, 2);
  x << 3, 5, 0, 5, -5, 1, 4, 1;  // the second feature has deviation 2
  Matrix returned = x;
  returned(2, 1) += 1e-3;
  const RoundTripError error = round_trip_error(x, returned);
  EXPECT_NEAR(error.largest, 5e-4, 1e-16);
  EXPECT_NEAR(error.root_mean_square, 5e-4 / std::sqrt(8.0), 1e-16);
  EXPECT_EQ(error.worst_row, 2);
}

// Relative to the magnitude, an error of a tenth of the spread was one of 1e-13.
TEST(RoundTrip, DoesNotHideErrorsBehindAnOffset) {
  Matrix x = normal_cloud(50, 1, 1);
  x.array() += 1 - x.mean();
  const double deviation = std::sqrt((x.array() - 1).square().mean());
  x.array() += 0x1p40;
  Matrix returned = x;
  returned(7, 0) += 0.125;
  EXPECT_NEAR(round_trip_error(x, returned).largest, 0.125 / deviation, 1e-3);
}

TEST(RoundTrip, DoesNotDependOnTheUnitOfLength) {
  const Matrix x = normal_cloud(20, 3, 1);
  const Matrix y = normal_cloud(20, 3, 2);
  const RoundTripError error = round_trip_error(x, y);
  // Squares of the smallest lengths are below all numbers.
  for (const double unit : {1e6, 1e100, 1e-200, 1e-307}) {
    const RoundTripError scaled = round_trip_error(Matrix(unit * x), Matrix(unit * y));
    EXPECT_NEAR(scaled.largest, error.largest, 1e-12) << unit;
    EXPECT_NEAR(scaled.root_mean_square, error.root_mean_square, 1e-12) << unit;
    EXPECT_EQ(scaled.worst_row, error.worst_row) << unit;
  }
}

TEST(RoundTrip, OfAConstantFeatureIsRelativeToIt) {
  EXPECT_EQ(round_trip_error(column({4, 4}), column({4, 2})).largest, 0.5);
  EXPECT_EQ(round_trip_error(column({0, 0}), column({0, 2})).largest, 2);
}

TEST(RoundTrip, RefusesCloudsThatAreNotPaired) {
  const Matrix x = normal_cloud(4, 2, 1);
  Matrix bad = x;
  bad(3, 0) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(round_trip_error(x, bad), InvalidData);
  EXPECT_THROW(round_trip_error(x, normal_cloud(5, 2, 1)), InvalidData);
  EXPECT_THROW(round_trip_error(Matrix(0, 2), Matrix(0, 2)), InvalidData);
}

}  // namespace round_trip_test
}  // namespace conflux

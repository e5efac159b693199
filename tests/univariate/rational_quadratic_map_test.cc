#include "univariate/rational_quadratic_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/rng.h"
#include "tests/support/single_points.h"

namespace conflux {
namespace rational_quadratic_map_test {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Gaps and slopes that spread over two orders of magnitude each.
RationalQuadraticMap random_map(Index knots, std::uint64_t name) {
  Stream stream(6, Purpose::kTest, name);
  std::vector<double> from, to, slopes;
  double x = -3, y = 20;
  for (Index i = 0; i < knots; ++i) {
    from.push_back(x += std::pow(10, -2 * stream.uniform()));
    to.push_back(y += std::pow(10, -2 * stream.uniform()));
    slopes.push_back(std::pow(10, 2 * stream.uniform() - 1));
  }
  return {std::move(from), std::move(to), std::move(slopes)};
}

class RationalQuadraticMapTest : public testing::TestWithParam<Index> {};
INSTANTIATE_TEST_SUITE_P(Knots, RationalQuadraticMapTest, testing::Values(1, 2, 3, 17, 400));

// The root of the quadratic loses half of the digits if it is taken in the wrong form.
TEST_P(RationalQuadraticMapTest, InverseUndoesForwardInsideAtAndBeyondTheKnots) {
  for (std::uint64_t name = 0; name < 20; ++name) {
    const RationalQuadraticMap map = random_map(GetParam(), name);
    // Between knots slopes may be 1e2 times steeper or flatter than at one of them, where they are
    // at most 10; an image is rounded to eps of its size.
    for (const double x : points_inside_and_beyond(map.from())) {
      ASSERT_NEAR(preimage(map, image(map, x)), x, 1e4 * kEpsilon * (20 + std::abs(x))) << name;
    }
    for (const double y : points_inside_and_beyond(map.to())) {
      ASSERT_NEAR(image(map, preimage(map, y)), y, 1e4 * kEpsilon * (20 + std::abs(y))) << name;
    }
  }
}

TEST_P(RationalQuadraticMapTest, KnotsMeetTheirImages) {
  const RationalQuadraticMap map = random_map(GetParam(), 2);
  for (std::size_t i = 0; i < map.from().size(); ++i) {
    EXPECT_EQ(image(map, map.from()[i]), map.to()[i]);
    EXPECT_EQ(preimage(map, map.to()[i]), map.from()[i]);
    EXPECT_NEAR(log_slope(map, map.from()[i]), -std::log(map.slopes()[i]), 1e-12);
  }
}

// Slopes that jump at knots are what distinguishes other maps from a spline.
TEST_P(RationalQuadraticMapTest, SlopesAreContinuousAtTheKnots) {
  const RationalQuadraticMap map = random_map(GetParam(), 3);
  for (std::size_t i = 0; i < map.from().size(); ++i) {
    const double before = std::nextafter(map.from()[i], -1e300);
    // The slope may change a hundredfold within 1e-4, which is 1e9 steps of a double near 400 wide.
    EXPECT_NEAR(log_slope(map, before), -std::log(map.slopes()[i]), 1e-6);
  }
}

TEST_P(RationalQuadraticMapTest, Increases) {
  const RationalQuadraticMap map = random_map(GetParam(), 4);
  std::vector<double> points = points_inside_and_beyond(map.from());
  std::sort(points.begin(), points.end());
  for (std::size_t i = 1; i < points.size(); ++i) {
    EXPECT_GE(image(map, points[i]), image(map, points[i - 1])) << points[i];
  }
}

TEST_P(RationalQuadraticMapTest, LogSlopesMatchNumericalDerivatives) {
  const RationalQuadraticMap map = random_map(GetParam(), 5);
  const auto& from = map.from();
  std::vector<double> points{from.front() - 3, from.back() + 3};
  for (std::size_t i = 1; i < from.size(); ++i)
    points.push_back(std::lerp(from[i - 1], from[i], 0.3));
  for (const double x : points) {
    const double h = 1e-8;
    const double numerical = std::log((image(map, x + h) - image(map, x - h)) / (2 * h));
    // Images near 200 are rounded to 3e-14, 3e-4 of a difference where the slope is 1e-2.
    EXPECT_NEAR(log_slope(map, x), numerical, 2e-3) << x;
  }
}

TEST_P(RationalQuadraticMapTest, LogSlopesOfForwardAndInverseCancel) {
  const RationalQuadraticMap map = random_map(GetParam(), 6);
  for (const double x : points_inside_and_beyond(map.from())) {
    double value = x, sum = 0.25;
    map.forward({&value, 1}, &sum);
    map.inverse({&value, 1}, &sum);
    EXPECT_NEAR(sum, 0.25, 1e-7) << x;
  }
}

TEST(RationalQuadraticMap, WithoutKnotsIsTheIdentity) {
  const RationalQuadraticMap map;
  for (const double x : {-1e300, -1.5, 0.0, 7.25}) {
    EXPECT_EQ(image(map, x), x);
    EXPECT_EQ(preimage(map, x), x);
    EXPECT_EQ(log_slope(map, x), 0);
  }
}

// With the mean slope at both knots the quotient is a straight line.
TEST(RationalQuadraticMap, OfEqualSlopesIsStraight) {
  const RationalQuadraticMap map({0, 1, 3}, {5, 7, 11}, {0.5, 0.5, 0.5});
  for (double x = -2; x < 6; x += 0.1) {
    EXPECT_NEAR(image(map, x), 5 + 2 * x, 1e-14);
    EXPECT_NEAR(log_slope(map, x), std::log(2.0), 1e-14);
  }
}

}  // namespace rational_quadratic_map_test
}  // namespace conflux

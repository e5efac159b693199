#include "univariate/piecewise_linear_map.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/rng.h"
#include "tests/support/single_points.h"

namespace conflux {
namespace piecewise_linear_map_test {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

std::vector<double> random_knots(Index count, double scale, double offset, std::uint64_t name) {
  Stream stream(5, Purpose::kTest, name);
  std::vector<double> out(count);
  double x = offset;
  for (double& knot : out) {
    x += scale * (0.01 - std::log(stream.uniform()));
    knot = x;
  }
  return out;
}

PiecewiseLinearMap random_map(Index knots, std::uint64_t name) {
  return {random_knots(knots, 0.7, -10, name), random_knots(knots, 1.9, 5, name + 1000)};
}

class PiecewiseLinearMapTest : public testing::TestWithParam<Index> {};

// Most inversion bugs live at the knots and beyond them, where no sample has ever been.
TEST_P(PiecewiseLinearMapTest, InverseUndoesForwardInsideAtAndBeyondTheKnots) {
  const PiecewiseLinearMap map = random_map(GetParam(), 1);
  for (const double x : points_inside_and_beyond(map.from())) {
    // An image is rounded to eps of its size; the flattest slope here is about 1/200.
    EXPECT_NEAR(preimage(map, image(map, x)), x, 1000 * kEpsilon * (20 + std::abs(x)));
  }
  for (const double y : points_inside_and_beyond(map.to())) {
    EXPECT_NEAR(image(map, preimage(map, y)), y, 1000 * kEpsilon * (20 + std::abs(y)));
  }
}

TEST_P(PiecewiseLinearMapTest, KnotsMeetTheirImages) {
  const PiecewiseLinearMap map = random_map(GetParam(), 2);
  for (std::size_t i = 0; i < map.from().size(); ++i) {
    EXPECT_EQ(image(map, map.from()[i]), map.to()[i]);
    EXPECT_EQ(preimage(map, map.to()[i]), map.from()[i]);
  }
}

TEST_P(PiecewiseLinearMapTest, LogSlopesMatchNumericalDerivatives) {
  const PiecewiseLinearMap map = random_map(GetParam(), 3);
  const auto& from = map.from();
  std::vector<double> points{from.front() - 3, from.back() + 3};
  for (std::size_t i = 1; i < from.size(); ++i) points.push_back(0.5 * (from[i - 1] + from[i]));
  for (const double x : points) {
    const double h = 1e-4;  // the shortest segment is 0.007
    const double slope = (image(map, x + h) - image(map, x - h)) / (2 * h);
    // Images below 600 are rounded to 6e-14, a part 3e-8 of the smallest difference.
    EXPECT_NEAR(log_slope(map, x), std::log(slope), 1e-7);
  }
}

TEST_P(PiecewiseLinearMapTest, LogSlopesOfForwardAndInverseCancel) {
  const PiecewiseLinearMap map = random_map(GetParam(), 4);
  for (double x = -20; x < 60; x += 0.173) {
    double value = x, sum = 0.25;
    map.forward({&value, 1}, &sum);
    map.inverse({&value, 1}, &sum);
    EXPECT_NEAR(sum, 0.25, 1e-15) << x;
  }
}

TEST_P(PiecewiseLinearMapTest, NoPointIsMovedFurtherThanTheFurthestKnot) {
  const PiecewiseLinearMap map = random_map(GetParam(), 5);
  double furthest = 0;
  for (std::size_t i = 0; i < map.from().size(); ++i) {
    furthest = std::max(furthest, std::abs(map.to()[i] - map.from()[i]));
  }
  for (const double x : points_inside_and_beyond(map.from())) {
    EXPECT_LE(std::abs(image(map, x) - x), furthest + 4 * kEpsilon * (std::abs(x) + furthest));
  }
}

INSTANTIATE_TEST_SUITE_P(Knots, PiecewiseLinearMapTest, testing::Values(1, 2, 3, 4, 7, 30, 257));

TEST(PiecewiseLinearMap, WithoutKnotsIsTheIdentity) {
  const PiecewiseLinearMap map;
  std::vector<double> values{-1e300, 0, 1.5};
  std::vector<double> slopes(3, 0.5);
  map.forward(values, slopes.data());
  map.inverse(values, slopes.data());
  EXPECT_EQ(values, (std::vector<double>{-1e300, 0, 1.5}));
  EXPECT_EQ(slopes, std::vector<double>(3, 0.5));
}

TEST(PiecewiseLinearMap, BeyondTheOuterKnotsPointsMoveAsTheOuterKnots) {
  const PiecewiseLinearMap map({0, 1}, {10, 30});
  EXPECT_EQ(image(map, -5), 5);
  EXPECT_EQ(image(map, 6), 35);
  EXPECT_EQ(preimage(map, 5), -5);
  EXPECT_EQ(preimage(map, 35), 6);
  EXPECT_EQ(log_slope(map, -5), 0);
  EXPECT_EQ(log_slope(map, 6), 0);
  EXPECT_DOUBLE_EQ(log_slope(map, 0.5), std::log(20));
}

TEST(PiecewiseLinearMap, ExtremePointsStayFiniteAndNanStaysNan) {
  const PiecewiseLinearMap map = random_map(30, 6);
  for (const double x : {1e200, -1e200, 1.7e308, -1.7e308}) {
    EXPECT_EQ(image(map, x), x);
    EXPECT_EQ(preimage(map, x), x);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(image(map, infinity), infinity);
  EXPECT_EQ(image(map, -infinity), -infinity);
  EXPECT_TRUE(std::isnan(image(map, std::nan(""))));
  EXPECT_TRUE(std::isnan(preimage(map, std::nan(""))));
}

// Knots of one unit in the last place apart: slopes are quotients of rounding errors, but order and
// range must survive.
RC_GTEST_PROP(PiecewiseLinearMap, PreservesOrderAndReturns, ()) {
  const auto steps = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(1, 1000), rc::gen::inRange(1, 1000))));
  std::vector<double> from, to;
  double a = -3, b = 7;
  for (const auto& [up, right] : steps) {
    from.push_back(a += 0.001 * right);
    to.push_back(b += 0.001 * up);
  }
  const PiecewiseLinearMap map(from, to);
  std::vector<double> points = points_inside_and_beyond(from);
  std::sort(points.begin(), points.end());
  double last = -std::numeric_limits<double>::infinity();
  for (const double x : points) {
    const double y = image(map, x);
    // Two segments meet in one number only up to rounding.
    RC_ASSERT(y >= last - 8 * kEpsilon * std::abs(y));
    last = y;
    RC_ASSERT(std::abs(preimage(map, y) - x) <= 4000 * kEpsilon * (10 + std::abs(x) + std::abs(y)));
  }
}

}  // namespace piecewise_linear_map_test
}  // namespace conflux

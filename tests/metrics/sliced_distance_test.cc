#include <gtest/gtest.h>

#include <limits>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "tests/metrics/clouds.h"

namespace conflux {
namespace sliced_distance_test {

constexpr double kRounding = 1e-12;

std::span<const double> values_of(const Matrix& cloud) {
  return {cloud.data(), static_cast<std::size_t>(cloud.size())};
}

TEST(Wasserstein1d, SortsAndMatchesQuantiles) {
  const std::vector<double> a = {6, 0, 3, 1};
  const std::vector<double> b = {0.5, 7, 1.5, 2};
  EXPECT_DOUBLE_EQ(wasserstein_1d_squared(a, b), 0.625);
  EXPECT_EQ(wasserstein_1d_squared(a, a), 0);
}

TEST(Wasserstein1d, SplitsTheMassOfUnequalCounts) {
  // In sixths: 0 sends 2 to 2, 1 sends 1 to 2 and 1 to 4, 5 sends 2 to 4.
  EXPECT_DOUBLE_EQ(wasserstein_1d_squared(std::vector<double>{0, 1, 5}, std::vector<double>{2, 4}),
                   (2 * 4.0 + 1 * 1.0 + 1 * 9.0 + 2 * 1.0) / 6);
  EXPECT_DOUBLE_EQ(wasserstein_1d_squared(std::vector<double>{3}, std::vector<double>{2, 5}), 2.5);
}

TEST(Wasserstein1d, MeetsPythonOptimalTransport) {
  for (const GoldenCase& golden : golden_cases()) {
    if (golden.x.cols() > 1) continue;
    EXPECT_NEAR(wasserstein_1d_squared(values_of(golden.x), values_of(golden.y)),
                golden.values.at("wasserstein_1d"), kRounding);
  }
}

// The mean of (u . c)^2 over unit vectors u of R^d is |c|^2 / d; the mean of 4000 draws is off by
// about sqrt(2 / 4000) of it.
TEST(SlicedDistance, OfATranslationIsItsSquaredLengthOverTheDimension) {
  const Matrix x = normal_cloud(60, 3, 1);
  const Matrix moved = x.rowwise() + Eigen::RowVector3d(3, 0, -4);
  EXPECT_NEAR(sliced_w2_squared(x, moved, {.directions = 4000}, Workers(2)), 25.0 / 3, 0.6);
  EXPECT_EQ(sliced_w2_squared(x, x, {}, Workers(2)), 0);
}

TEST(SlicedDistance, OnTheLineIsTheExactDistance) {
  const Matrix x = normal_cloud(60, 1, 1);
  const Matrix y = normal_cloud(35, 1, 2);
  EXPECT_NEAR(sliced_w2_squared(x, y, {.directions = 5}, Workers(1)),
              wasserstein_1d_squared(values_of(x), values_of(y)), kRounding);
}

TEST(SlicedDistance, DependsOnTheSeedOnly) {
  const Matrix x = normal_cloud(60, 3, 1);
  const Matrix y = normal_cloud(35, 3, 2);
  const double first = sliced_w2_squared(x, y, {.directions = 20, .seed = 1}, Workers(1));
  EXPECT_EQ(first, sliced_w2_squared(x, y, {.directions = 20, .seed = 1}, Workers(3)));
  EXPECT_NE(first, sliced_w2_squared(x, y, {.directions = 20, .seed = 2}, Workers(1)));
}

TEST(MaxSlicedDistance, FindsTheDirectionOfATranslation) {
  const Matrix x = normal_cloud(60, 10, 1);
  Eigen::RowVectorXd shift = Eigen::RowVectorXd::Zero(10);
  shift[2] = 3;
  shift[7] = -4;
  const Matrix moved = x.rowwise() + shift;
  const MaxSliced found = max_sliced_w2_squared(x, moved, {}, Workers(2));
  EXPECT_NEAR(found.value, 25, 1e-6);
  EXPECT_NEAR(std::abs(shift.dot(found.direction)), 5, 1e-6);
  EXPECT_NEAR(found.direction.norm(), 1, kRounding);
}

// The scan visits 20001 angles, so that it misses the maximum by about 1e-8 of it.
TEST(MaxSlicedDistance, MeetsADenseScanOfThePlane) {
  for (const GoldenCase& golden : golden_cases()) {
    if (golden.x.cols() != 2) continue;
    SCOPED_TRACE(golden.name);
    const double expected = golden.values.at("max_sliced");
    EXPECT_NEAR(max_sliced_w2_squared(golden.x, golden.y, {}, Workers(1)).value, expected,
                1e-4 * expected);
  }
}

TEST(MaxSlicedDistance, LiesBetweenTheMeanSliceAndTheWholeDistance) {
  const Matrix x = normal_cloud(60, 4, 1);
  const Matrix y = normal_cloud(45, 4, 2) * 1.5;
  const double largest = max_sliced_w2_squared(x, y, {}, Workers(2)).value;
  EXPECT_GE(largest, sliced_w2_squared(x, y, {}, Workers(2)));
  EXPECT_LE(largest, exact_w2_squared(x, y, {}, Workers(2)));
}

TEST(MaxSlicedDistance, ReportsTheValueAlongItsDirection) {
  const Matrix x = normal_cloud(60, 4, 1);
  const Matrix y = normal_cloud(45, 4, 2);
  const MaxSliced found = max_sliced_w2_squared(x, y, {}, Workers(3));
  EXPECT_NEAR(
      found.value,
      wasserstein_1d_squared(values_of(x * found.direction), values_of(y * found.direction)),
      kRounding);
  EXPECT_EQ(found.value, max_sliced_w2_squared(x, y, {}, Workers(1)).value);
}

TEST(SlicedDistance, RefusesWhatItCannotCompare) {
  const Matrix x = normal_cloud(4, 2, 1);
  Matrix bad = x;
  bad(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(wasserstein_1d_squared({}, values_of(x)), InvalidData);
  EXPECT_THROW(wasserstein_1d_squared(values_of(bad), values_of(x)), InvalidData);
  EXPECT_THROW(sliced_w2_squared(x, bad, {}, Workers(1)), InvalidData);
  EXPECT_THROW(sliced_w2_squared(x, normal_cloud(4, 3, 1), {}, Workers(1)), InvalidData);
  EXPECT_THROW(sliced_w2_squared(x, x, {.directions = 0}, Workers(1)), InvalidOption);
  EXPECT_THROW(max_sliced_w2_squared(Matrix(0, 2), x, {}, Workers(1)), InvalidData);
  EXPECT_THROW(max_sliced_w2_squared(x, x, {.starts = 0}, Workers(1)), InvalidOption);
}

}  // namespace sliced_distance_test
}  // namespace conflux

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "tests/metrics/clouds.h"

namespace conflux {
namespace sinkhorn_test {

TEST(Sinkhorn, MeetsPythonOptimalTransport) {
  for (const GoldenCase& golden : golden_cases()) {
    SCOPED_TRACE(golden.name);
    const SinkhornDivergence found =
        sinkhorn_divergence(golden.x, golden.y, {.epsilon = 0.5, .tolerance = 1e-10}, Workers(1));
    EXPECT_TRUE(found.converged);
    EXPECT_NEAR(found.value, golden.values.at("sinkhorn"), 1e-9);
  }
}

// The entropy of a plan is at most log n, so that each of the three terms is off by eps log n.
TEST(Sinkhorn, WithASmallBlurIsTheExactDistance) {
  const Matrix x = normal_cloud(30, 3, 1);
  const Matrix y = normal_cloud(20, 3, 2).array() + 1;
  const double epsilon = 1e-3;
  const SinkhornDivergence found = sinkhorn_divergence(
      x, y, {.epsilon = epsilon, .tolerance = 1e-3, .max_iterations = 100000}, Workers(2));
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.value, exact_w2_squared(x, y, {}, Workers(1)), 2 * epsilon * std::log(30));
}

// The difference to the distance of the means is of the order of cost^2 / eps.
TEST(Sinkhorn, WithALargeBlurIsTheSquaredDistanceOfTheMeans) {
  const Matrix x = normal_cloud(30, 3, 1);
  const Matrix y = normal_cloud(20, 3, 2);
  const double means = (x.colwise().mean() - y.colwise().mean()).squaredNorm();
  EXPECT_NEAR(sinkhorn_divergence(x, y, {.epsilon = 1e6}, Workers(1)).value, means, 1e-4);
}

TEST(Sinkhorn, OfATranslationIsItsSquaredLength) {
  const Matrix x = normal_cloud(40, 2, 1);
  const Matrix moved = x.rowwise() + Eigen::RowVector2d(3, -4);
  const SinkhornDivergence found =
      sinkhorn_divergence(x, moved, {.epsilon = 1, .max_iterations = 100000}, Workers(2));
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.value, 25, 1e-4);
}

// Marginal errors of 1e-6 move the value by about eps * 1e-6.
TEST(Sinkhorn, OfACloudAndItselfIsZero) {
  const Matrix x = normal_cloud(50, 3, 1);
  EXPECT_NEAR(sinkhorn_divergence(x, x, {}, Workers(1)).value, 0, 1e-6);
  const Matrix point = Matrix::Ones(5, 3);
  EXPECT_EQ(sinkhorn_divergence(point, point, {}, Workers(1)).value, 0);
}

TEST(Sinkhorn, SaysWhenItDidNotConverge) {
  const Matrix x = normal_cloud(50, 3, 1);
  const Matrix y = normal_cloud(50, 3, 2);
  const SinkhornDivergence found =
      sinkhorn_divergence(x, y, {.epsilon = 1e-4, .max_iterations = 7}, Workers(1));
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.iterations, 7);
}

TEST(Sinkhorn, OneThreadGivesTheBitsOfThree) {
  const Matrix x = normal_cloud(130, 4, 1);
  const Matrix y = normal_cloud(90, 4, 2);
  EXPECT_EQ(sinkhorn_divergence(x, y, {}, Workers(1)).value,
            sinkhorn_divergence(x, y, {}, Workers(3)).value);
}

TEST(Sinkhorn, RefusesWhatItCannotCompare) {
  const Matrix x = normal_cloud(4, 2, 1);
  Matrix bad = x;
  bad(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(sinkhorn_divergence(x, bad, {}, Workers(1)), InvalidData);
  EXPECT_THROW(sinkhorn_divergence(x, normal_cloud(4, 3, 1), {}, Workers(1)), InvalidData);
  EXPECT_THROW(sinkhorn_divergence(Matrix(0, 2), x, {}, Workers(1)), InvalidData);
  EXPECT_THROW(sinkhorn_divergence(x, x, {.epsilon = -1}, Workers(1)), InvalidOption);
  EXPECT_THROW(sinkhorn_divergence(x, x, {.epsilon = 1e-300}, Workers(1)), InvalidOption);
  EXPECT_THROW(sinkhorn_divergence(x, x, {.tolerance = 0}, Workers(1)), InvalidOption);
}

}  // namespace sinkhorn_test
}  // namespace conflux

#include <gtest/gtest.h>

#include <cmath>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "kernels/dense.h"
#include "tests/metrics/clouds.h"

namespace conflux {
namespace frechet_test {

TEST(FrechetDistance, OfAShiftIsItsSquare) {
  const Matrix x = normal_cloud(200, 4, 1);
  const Matrix y = x.rowwise() + Eigen::RowVector4d(3, 0, -4, 0);
  EXPECT_NEAR(frechet_distance(x, y), 25, 1e-10);
  EXPECT_NEAR(frechet_distance(x, x), 0, 1e-10);
}

// Deviations s and t apart along every axis: sum of (s - t)^2.
TEST(FrechetDistance, OfAxesOfDifferentLengthIsTheirDifference) {
  const Matrix x = normal_cloud(500, 3, 2);
  const Matrix centered = x.rowwise() - x.colwise().mean();
  const Matrix covariance = centered.transpose() * centered / 499;
  EXPECT_NEAR(frechet_distance(x, Matrix(3 * x)),
              4 * covariance.trace() + 4 * x.colwise().mean().squaredNorm(), 1e-10);
}

// On the line, (difference of means)^2 + (difference of deviations)^2.
TEST(FrechetDistance, OnTheLineComparesMeanAndDeviation) {
  const Matrix x = column({0, 2, 4});
  const Matrix y = column({5, 11});
  EXPECT_NEAR(frechet_distance(x, y), 36 + std::pow(2 - std::sqrt(18.0), 2), 1e-12);
}

TEST(FrechetDistance, DoesNotDependOnOrderOrRotation) {
  const Matrix x = normal_cloud(300, 5, 3);
  const Matrix y = 2 * normal_cloud(200, 5, 4).array() + normal_cloud(200, 5, 5).array().square();
  const double distance = frechet_distance(x, y);
  EXPECT_NEAR(frechet_distance(y, x), distance, 1e-9 * distance);
  const Matrix turn = kernels::orthonormal_basis(normal_cloud(5, 5, 6));
  EXPECT_NEAR(frechet_distance(Matrix(x * turn), Matrix(y * turn)), distance, 1e-9 * distance);
  EXPECT_NEAR(frechet_distance(Matrix(3 * x), Matrix(3 * y)), 9 * distance, 1e-8 * distance);
}

// Fewer rows than features, and features that are constant: covariances are singular.
TEST(FrechetDistance, OfFlatCloudsIsFinite) {
  const Matrix x = normal_cloud(4, 10, 7);
  Matrix y = normal_cloud(50, 10, 8);
  y.col(3).setConstant(2);
  EXPECT_GT(frechet_distance(x, y), 0);
  EXPECT_NEAR(frechet_distance(x, x), 0, 1e-6);
  EXPECT_THROW(frechet_distance(normal_cloud(1, 10, 9), y), InvalidData);
}

}  // namespace frechet_test
}  // namespace conflux

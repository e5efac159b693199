#include <gtest/gtest.h>

#include <limits>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "tests/metrics/clouds.h"

namespace conflux {
namespace energy_distance_test {

// Sums of a few thousand distances of order 1.
constexpr double kRounding = 1e-12;

double slow_mean_distance(const Matrix& x, const Matrix& y) {
  double sum = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < y.rows(); ++j) sum += (x.row(i) - y.row(j)).norm();
  }
  return sum / static_cast<double>(x.rows() * y.rows());
}

// Counts that are no multiples of the tile, and one that is below it.
TEST(EnergyDistance, IsTheDoubleLoop) {
  const Matrix x = normal_cloud(37, 5, 1);
  for (const Index rows : {1, 9, 50}) {
    const Matrix y = normal_cloud(rows, 5, 2);
    EXPECT_NEAR(energy_distance(x, y, Workers(2)),
                2 * slow_mean_distance(x, y) - slow_mean_distance(x, x) - slow_mean_distance(y, y),
                kRounding);
  }
}

TEST(EnergyDistance, MeetsSciPy) {
  for (const GoldenCase& golden : golden_cases()) {
    SCOPED_TRACE(golden.name);
    const double found = energy_distance(golden.x, golden.y, Workers(1));
    EXPECT_NEAR(found, golden.values.at("energy"), kRounding);
    if (golden.x.cols() > 1) continue;
    EXPECT_NEAR(found, golden.values.at("scipy_energy"), kRounding);
  }
}

TEST(EnergyDistance, OfEqualCloudsIsExactlyZero) {
  const Matrix x = normal_cloud(37, 5, 1);
  EXPECT_EQ(energy_distance(x, x, Workers(2)), 0);
}

TEST(EnergyDistance, OfTwoPointsIsTwiceTheirDistance) {
  Matrix x = Matrix::Zero(1, 2);
  Matrix y(1, 2);
  y << 3, -4;
  EXPECT_EQ(energy_distance(x, y, Workers(1)), 10);
}

TEST(EnergyDistance, OneThreadGivesTheBitsOfThree) {
  const Matrix x = normal_cloud(230, 7, 1);
  const Matrix y = normal_cloud(190, 7, 2);
  EXPECT_EQ(energy_distance(x, y, Workers(1)), energy_distance(x, y, Workers(3)));
}

TEST(EnergyDistance, RefusesWhatItCannotCompare) {
  const Matrix x = normal_cloud(4, 2, 1);
  Matrix bad = x;
  bad(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(energy_distance(bad, x, Workers(1)), InvalidData);
  EXPECT_THROW(energy_distance(x, normal_cloud(4, 3, 1), Workers(1)), InvalidData);
  EXPECT_THROW(energy_distance(x, Matrix(0, 2), Workers(1)), InvalidData);
}

}  // namespace energy_distance_test
}  // namespace conflux

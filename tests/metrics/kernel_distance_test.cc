#include <gtest/gtest.h>

#include <cmath>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "core/rng.h"

namespace conflux {
namespace kernel_distance_test {

double kernel(const Matrix& x, Index i, const Matrix& y, Index j) {
  return std::pow(x.row(i).dot(y.row(j)) / static_cast<double>(x.cols()) + 1, 3);
}

// Mean of the kernel over pairs, by its definition.
double slow_mean(const Matrix& x, const Matrix& y, bool same) {
  double sum = 0;
  double pairs = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < y.rows(); ++j) {
      if (same && i == j) continue;
      sum += kernel(x, i, y, j);
      ++pairs;
    }
  }
  return sum / pairs;
}

TEST(KernelDistance, IsTheMeanOverPairsOfDifferentRows) {
  Stream stream(1, Purpose::kTest);
  const Matrix x = stream.normal_matrix(13, 4);
  const Matrix y = 2 * stream.normal_matrix(9, 4);
  const double slow = slow_mean(x, x, true) + slow_mean(y, y, true) - 2 * slow_mean(x, y, false);
  EXPECT_NEAR(kernel_distance(x, y), slow, 1e-12 * std::abs(slow));
  EXPECT_NEAR(kernel_distance(y, x), kernel_distance(x, y), 1e-12 * std::abs(slow));
}

// The Frechet distance has a bias: this one is zero on average for samples of one distribution,
// however small.
TEST(KernelDistance, HasNoBias) {
  double kernel_mean = 0, kernel_square = 0, frechet_mean = 0;
  constexpr int kTrials = 200;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    Stream stream(2 + trial, Purpose::kTest);
    const Matrix x = stream.normal_matrix(12, 6);
    const Matrix y = stream.normal_matrix(12, 6);
    const double found = kernel_distance(x, y);
    kernel_mean += found / kTrials;
    kernel_square += found * found / kTrials;
    frechet_mean += frechet_distance(x, y) / kTrials;
  }
  EXPECT_LT(std::abs(kernel_mean), 4 * std::sqrt(kernel_square / kTrials));
  EXPECT_GT(frechet_mean, 1);
}

TEST(KernelDistance, SeesShifts) {
  Stream stream(3, Purpose::kTest);
  const Matrix x = stream.normal_matrix(200, 3);
  const Matrix y = stream.normal_matrix(200, 3).array() + 1;
  const ConstRows rows(x);
  const double by_chance = kernel_distance(rows.middle_rows(0, 100), rows.middle_rows(100, 100));
  EXPECT_GT(kernel_distance(x, y), 20 * std::abs(by_chance));
  EXPECT_THROW(kernel_distance(rows.middle_rows(0, 1), y), InvalidData);
}

}  // namespace kernel_distance_test
}  // namespace conflux

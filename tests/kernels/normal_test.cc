#include "kernels/normal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace conflux::kernels {
namespace normal_test {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Computed with forty digits.
TEST(Normal, KnownValues) {
  EXPECT_DOUBLE_EQ(normal_cdf(0), 0.5);
  EXPECT_NEAR(normal_cdf(-1.96), 0.024997895148220436, 1e-17);
  EXPECT_NEAR(normal_cdf(1), 0.84134474606854293, 2e-16);
  EXPECT_NEAR(normal_cdf(-8) / 6.2209605742717841e-16, 1, 1e-14);
  EXPECT_NEAR(normal_cdf(-37) / 5.7255712225245768e-300, 1, 1e-12);
  EXPECT_DOUBLE_EQ(normal_density(0), 0.39894228040143268);
  EXPECT_DOUBLE_EQ(normal_density(2), 0.053990966513188063);
  EXPECT_EQ(normal_quantile(0.5, 0.5), 0);
  EXPECT_NEAR(normal_quantile(0.25, 0.75), -0.67448975019608174, 4e-16);
  EXPECT_NEAR(normal_quantile(0.975, 0.025), 1.9599639845400542, 1e-15);
  EXPECT_NEAR(normal_quantile(0.001, 0.999), -3.0902323061678135, 2e-15);
  EXPECT_NEAR(normal_quantile(1e-20, 1), -9.2623400897984076, 4e-15);
  EXPECT_NEAR(normal_quantile(1e-300, 1), -37.047096299361199, 2e-14);
}

TEST(Normal, LogDensityIsTheLogarithmOfTheDensity) {
  for (double x = -37; x <= 37; x += 0.37) {
    EXPECT_NEAR(log_normal_density(x), std::log(normal_density(x)), 1e-12);
  }
}

// The upper tail has no room in one number: beyond 8.3 a lone probability is 1. The pair must carry
// scores as far as the smallest numbers reach, on either side.
TEST(Normal, QuantileUndoesCdfInBothTails) {
  for (int i = -3700; i <= 3700; ++i) {
    const double score = i / 100.0;
    // The probability moves by one unit in its last place when the score moves by eps Phi / phi.
    const double condition =
        std::min(normal_cdf(score), normal_cdf(-score)) / normal_density(score);
    EXPECT_NEAR(normal_quantile(normal_cdf(score), normal_cdf(-score)), score,
                8 * kEpsilon * (condition + std::abs(score)))
        << score;
  }
}

TEST(Normal, QuantileIsAnOddFunctionOfThePair) {
  for (const double p : {0.4999, 0.3, 0.02425, 1e-5, 1e-16, 1e-300}) {
    EXPECT_EQ(normal_quantile(p, 1 - p), -normal_quantile(1 - p, p));
  }
}

// Acklam's formula changes at 0.02425; a jump there would fold the line.
TEST(Normal, QuantileIncreasesAlsoWhereTheFormulaChanges) {
  double last = -std::numeric_limits<double>::infinity();
  for (double p = 1e-300; p < 0.5; p *= 1.01) {
    const double x = normal_quantile(p, 1 - p);
    EXPECT_GT(x, last) << p;
    last = x;
  }
  last = normal_quantile(0.02425 - 101e-13, 1 - (0.02425 - 101e-13));
  for (int i = -100; i <= 100; ++i) {
    const double p = 0.02425 + i * 1e-13;
    const double x = normal_quantile(p, 1 - p);
    EXPECT_GT(x, last) << i;
    last = x;
  }
}

// Probabilities below the smallest normal number still have a score; the correction step must not
// turn it into infinity or NaN.
TEST(Normal, QuantileOfTheSmallestProbabilitiesIsFinite) {
  for (const double p : {std::numeric_limits<double>::min(), 1e-310, 1e-320,
                         std::numeric_limits<double>::denorm_min()}) {
    const double x = normal_quantile(p, 1);
    EXPECT_GT(x, -38.6) << p;
    EXPECT_LT(x, -37.4) << p;
    EXPECT_EQ(normal_quantile(1, p), -x);
  }
}

}  // namespace normal_test
}  // namespace conflux::kernels

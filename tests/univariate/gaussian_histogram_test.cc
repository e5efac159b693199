#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "kernels/normal.h"
#include "univariate/histogram_map.h"

namespace conflux {
namespace gaussian_histogram_test {

using testing::ElementsAre;

TEST(NormalBins, CountEdgesToTheRightAndEveryValueOnce) {
  // The median is the edge between the two bins.
  EXPECT_THAT(count_in_normal_bins(std::vector<double>{-1, 0, 1, 2}, {}, 0, 1, 2),
              ElementsAre(1, 3));
  EXPECT_THAT(count_in_normal_bins(std::vector<double>{-1e9, 1e9}, {}, 0, 1, 3),
              ElementsAre(1, 0, 1));
  EXPECT_THAT(count_in_normal_bins({}, {}, 0, 1, 3), ElementsAre(0, 0, 0));
}

TEST(NormalBins, CountMasses) {
  const std::vector<double> values{-1, 0.5, 0.5, 2}, masses{0.5, 2, 0, 3};
  EXPECT_THAT(count_in_normal_bins(values, masses, 0, 1, 2), ElementsAre(0.5, 5));
}

TEST(GaussianHistogram, QuantileUndoesCdfInBothTails) {
  const GaussianHistogram law(3, 2, std::vector<double>{4, 1, 7, 3, 2}, 1e-6);
  for (double score = -30; score <= 30; score += 0.173) {
    const double z = 3 + 2 * score;
    EXPECT_NEAR(law.quantile_at(law.level_at(z).level).value, z, 1e-12 * (1 + std::abs(score)))
        << score;
  }
}

// Nearly all the mass is in the lowest bin, so levels come near 1 while scores are still below 0.
TEST(GaussianHistogram, KeepsTheDigitsOfALevelThatCrossesTheMiddle) {
  const double tiny = 1e-12;
  for (const bool low : {true, false}) {
    std::vector<double> counts(8, tiny);
    counts[low ? 0 : 7] = 1;
    const GaussianHistogram law(0, 1, counts, 0);
    const double total = 1 + 7 * tiny;
    for (double p = 0.13; p < 1; p += 0.05) {
      const double x = kernels::normal_quantile(p, 1 - p) * (low ? 1 : -1);
      const Probability u = law.level_at(x).level;
      // Above p, the bins of mass `tiny` and width 1/8 hold this much.
      const double rest = (1 - p) * 8 * tiny / total;
      EXPECT_NEAR((low ? u.above : u.below) / rest, 1, 1e-12) << p;
      EXPECT_NEAR(law.quantile_at(u).value, x, 1e-11) << p;
    }
  }
}

TEST(GaussianHistogram, DensityIsTheDerivativeOfTheDistribution) {
  const GaussianHistogram law(-1, 0.5, std::vector<double>{4, 1, 7, 3, 2}, 0.5);
  int close = 0, compared = 0;
  for (double z = -3; z < 1; z += 0.0173) {
    const double h = 1e-5;
    const double slope =
        (law.level_at(z + h).level.below - law.level_at(z - h).level.below) / (2 * h);
    ++compared;
    if (std::abs(law.level_at(z).density - slope) < 1e-6) ++close;
  }
  EXPECT_GE(close, compared - 4);  // four inner edges
}

TEST(GaussianHistogram, ThroughQuantilesMeetsThem) {
  const std::vector<double> values{-3, -0.2, 0.1, 4};
  const std::vector<Probability> levels{{0.1, 0.9}, {0.3, 0.7}, {0.8, 0.2}, {0.99, 0.01}};
  const GaussianHistogram law(0.3, 1.7, values, levels);
  for (std::size_t j = 0; j < values.size(); ++j) {
    EXPECT_NEAR(law.quantile_at(levels[j]).value, values[j], 1e-13);
    EXPECT_NEAR(law.level_at(values[j]).level.below, levels[j].below, 1e-15);
  }
}

// One far outlier among the points of a thinned barycenter stands 9.9 deviations from their mean,
// where the normal law leaves 1e-23. That is a number like any other, on either side.
TEST(GaussianHistogram, ThroughFarQuantilesMeetsThemOnBothSides) {
  std::vector<Probability> levels;
  for (int j = 0; j < 100; ++j) levels.push_back({0.005 + 0.01 * j, 0.995 - 0.01 * j});
  for (const double side : {-1.0, 1.0}) {
    std::vector<double> values(100);
    for (int j = 0; j < 100; ++j) values[j] = 0.001 * j;
    values[side < 0 ? 0 : 99] = 1000 * side;
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / 100;
    double variance = 0;
    for (const double x : values) variance += (x - mean) * (x - mean) / 100;
    const GaussianHistogram law(mean, std::sqrt(variance), values, levels);
    for (std::size_t j = 0; j < 100; ++j) {
      EXPECT_NEAR(law.quantile_at(levels[j]).value, values[j], 1e-9)
          << "side " << side << ", point " << j;
    }
  }
}

}  // namespace gaussian_histogram_test
}  // namespace conflux

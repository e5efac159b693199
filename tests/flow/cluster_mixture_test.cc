#include "flow/cluster_mixture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/rng.h"

namespace conflux {
namespace kind_mixture_test {

constexpr Index kClusters = 4;

// The map of no knots moves nothing; those of many bend at other places in every cluster, from
// nearly flat to steep.
PiecewiseLinearMap random_map(Index knots, Stream& stream) {
  std::vector<double> from, to;
  for (Index j = 0; j < knots; ++j) {
    from.push_back((from.empty() ? -3 : from.back()) + 0.01 + stream.uniform());
    to.push_back((to.empty() ? -5 : to.back()) + std::exp(3 * stream.normal()));
  }
  return {from, to};
}

// Every second point is of one cluster alone, the others are of all.
Matrix random_shares(Index points, Stream& stream) {
  Matrix out = Matrix::Zero(points, kClusters);
  for (Index i = 0; i < points; ++i) {
    if (i % 2 == 0) {
      out(i, i % kClusters) = 1;
      continue;
    }
    for (Index c = 0; c < kClusters; ++c) out(i, c) = 0.01 + stream.uniform();
    out.row(i) /= out.row(i).sum();
  }
  return out;
}

class ClusterMixtureTest : public testing::TestWithParam<Index> {
 protected:
  static constexpr Index kPoints = 203;
  Stream stream{71, Purpose::kTest};
  Matrix shares = random_shares(kPoints, stream);
  std::vector<PiecewiseLinearMap> maps;
  std::vector<double> line;
  ClusterMixture mixture;

  void SetUp() override {
    for (Index c = 0; c < kClusters; ++c) {
      maps.push_back(random_map(c == 1 ? 0 : GetParam() + c, stream));
      maps.emplace_back();  // of another direction
    }
    for (Index i = 0; i < kPoints; ++i) line.push_back(8 * stream.normal());
    mixture.share_out(shares, kClusters);
  }
};
INSTANTIATE_TEST_SUITE_P(Knots, ClusterMixtureTest, testing::Values(1, 2, 12, 100));

TEST_P(ClusterMixtureTest, IsTheMeanOfTheImages) {
  std::vector<double> moved = line, log_slopes(line.size(), 0.0);
  mixture.forward(maps.data(), 2, moved, log_slopes.data());
  for (Index i = 0; i < kPoints; ++i) {
    double image = 0, slope = 0;
    for (Index c = 0; c < kClusters; ++c) {
      double value = line[i], log_slope = 0;
      maps[2 * c].forward({&value, 1}, &log_slope);
      image += shares(i, c) * value;
      slope += shares(i, c) * std::exp(log_slope);
    }
    EXPECT_NEAR(moved[i], image, 1e-13 * (1 + std::abs(image)));
    EXPECT_NEAR(log_slopes[i], std::log(slope), 1e-12);
  }
  std::vector<double> without = line;
  mixture.forward(maps.data(), 2, without, nullptr);
  EXPECT_EQ(without, moved);
}

// Images of knots, too, where a piece ends and the next begins.
TEST_P(ClusterMixtureTest, TheInverseFindsThePoint) {
  for (std::size_t i = 0; i < line.size() && i < maps[0].from().size(); ++i) {
    line[i] = maps[0].from()[i];
  }
  std::vector<double> moved = line, log_slopes(line.size(), 0.0);
  mixture.forward(maps.data(), 2, moved, log_slopes.data());
  const std::vector<double> slopes = log_slopes;
  const std::vector<double> images = moved;
  mixture.inverse(maps.data(), 2, moved, log_slopes.data());
  for (Index i = 0; i < kPoints; ++i) {
    const double scale = std::abs(line[i]) + std::abs(images[i]);
    EXPECT_NEAR(moved[i], line[i], 1e-14 * scale * (1 + std::exp(-slopes[i]))) << i;
    // At a knot either of two slopes is right.
    if (i < static_cast<Index>(maps[0].from().size())) continue;
    EXPECT_NEAR(log_slopes[i], 0, 1e-12) << i;
  }
}

TEST_P(ClusterMixtureTest, APointDoesNotDependOnThoseAroundIt) {
  std::vector<double> together = line;
  mixture.inverse(maps.data(), 2, together, nullptr);
  for (const Index i : {0, 1, 7, 202}) {
    const Matrix own = shares.row(i);
    ClusterMixture single;
    single.share_out(own, kClusters);
    double alone = line[i];
    single.inverse(maps.data(), 2, {&alone, 1}, nullptr);
    EXPECT_EQ(alone, together[i]);
  }
}

}  // namespace kind_mixture_test
}  // namespace conflux

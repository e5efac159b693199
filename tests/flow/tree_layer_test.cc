#include "flow/tree_layer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/layer_laws.h"
#include "tests/support/random_layers.h"

namespace conflux {
namespace tree_layer_test {

TEST(TreeLayer, ObeysTheLawsOfLayers) {
  for (const Index dim : {1, 3, 12}) {
    for (const Index leaves : {2, 10, 40}) {
      SCOPED_TRACE(leaves);
      Stream stream(50, Purpose::kTest, static_cast<std::uint64_t>(100 * dim + leaves));
      check_layer_laws(random_tree_layer(3, dim, leaves, stream), 3, Stream(51, Purpose::kTest));
    }
  }
}

TEST(TreeLayer, WithoutNodesLeavesPointsAlone) {
  const TreeLayer layer(2, {}, {}, {{}, {}});
  Matrix x = Stream(52, Purpose::kTest).normal_matrix(5, 2);
  const Matrix before = x;
  std::vector<double> log_det(5, 0.0);
  layer.forward(1, Rows(x), log_det.data());
  layer.inverse(0, Rows(x), log_det.data());
  EXPECT_EQ(x, before);
  EXPECT_EQ(log_det, std::vector<double>(5, 0.0));
}

TEST(TreeLayer, LeavesFeaturesThatItDoesNotCutAlone) {
  const PiecewiseLinearMap chart({0, 1}, {0, 1});
  const TreeLayer layer(3, {{1, chart}}, {{0, 0.5}},
                        {{PiecewiseLinearMap({0, 0.5, 1}, {0, 0.8, 1})}});
  Matrix x = Stream(53, Purpose::kTest).normal_matrix(50, 3);
  const Matrix before = x;
  layer.forward(0, Rows(x), nullptr);
  EXPECT_EQ(x.col(0), before.col(0));
  EXPECT_EQ(x.col(2), before.col(2));
  EXPECT_NE(x.col(1), before.col(1));
}

// One node by hand: the half [0, 0.5] is stretched to [0, 0.8], the rest is squeezed.
TEST(TreeLayer, MovesMassAcrossItsCut) {
  const PiecewiseLinearMap chart({0, 1}, {0, 1});
  const TreeLayer layer(1, {{0, chart}}, {{0, 0.5}},
                        {{PiecewiseLinearMap({0, 0.5, 1}, {0, 0.8, 1})}});
  const auto image = [&](double x, double& log_det) {
    layer.forward(0, Rows(&x, 1, 1), &log_det);
    return x;
  };
  double log_det = 0;
  EXPECT_NEAR(image(0.25, log_det), 0.4, 1e-15);
  EXPECT_NEAR(log_det, std::log(1.6), 1e-15);
  EXPECT_NEAR(image(0.75, log_det = 0), 0.9, 1e-15);
  EXPECT_NEAR(log_det, std::log(0.4), 1e-14);
  EXPECT_EQ(image(-4, log_det = 0), -4);
  EXPECT_EQ(log_det, 0);
  EXPECT_EQ(image(7, log_det = 0), 7);
}

// The halves move differently, so a neighbor of the cut that changed sides would come back from
// far away.
TEST(TreeLayer, PointsRightBesideACutComeBackToTheirSide) {
  const PiecewiseLinearMap chart({0, 1}, {0, 1});
  const PiecewiseLinearMap cut({0, 1.0 / 3, 1}, {0, 0.7, 1});
  const PiecewiseLinearMap left({0, 0.1, 1}, {0, 0.9, 1}), right({0, 0.9, 1}, {0, 0.1, 1});
  const TreeLayer layer(2, {{0, chart}, {1, chart}}, {{0, 1.0 / 3, 1, 2}, {1, 0.1}, {1, 0.9}},
                        {{cut, left, right}});
  for (const double x :
       {1.0 / 3, std::nextafter(1.0 / 3, 0), std::nextafter(1.0 / 3, 1), 1.0 / 3 - 1e-15}) {
    for (const double y : {0.1, 0.5, 0.9, std::nextafter(0.1, 0), std::nextafter(0.9, 0)}) {
      double point[] = {x, y};
      layer.forward(0, Rows(point, 1, 2), nullptr);
      layer.inverse(0, Rows(point, 1, 2), nullptr);
      EXPECT_NEAR(point[0], x, 1e-15) << x << " " << y;
      EXPECT_NEAR(point[1], y, 1e-14) << x << " " << y;
    }
  }
}

// No point leaves the box of a node, whatever the nodes above it do to it later.
TEST(TreeLayer, IsABijectionOfTheSpace) {
  Stream stream(54, Purpose::kTest);
  const TreeLayer layer = random_tree_layer(1, 1, 20, stream);
  std::vector<double> images;
  for (Index i = 0; i <= 4000; ++i) {
    double x = -4 + 0.002 * static_cast<double>(i);
    layer.forward(0, Rows(&x, 1, 1), nullptr);
    images.push_back(x);
  }
  // On a line the nodes' maps are increasing and meet at the cuts.
  EXPECT_TRUE(std::is_sorted(images.begin(), images.end(), std::less_equal<>()));
  EXPECT_EQ(images.front(), -4);
  EXPECT_EQ(images.back(), 4);
}

}  // namespace tree_layer_test
}  // namespace conflux

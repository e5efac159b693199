#include "flow/conditional_layer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/layer_laws.h"

namespace conflux {
namespace conditional_layer_test {

using Node = ConditionalLayer::Node;

// Feature 1 moves; feature 0 decides by which map.
ConditionalLayer two_leaves() {
  const std::vector<PiecewiseLinearMap> first{PiecewiseLinearMap({0, 1}, {1, 3}),
                                              PiecewiseLinearMap()};
  const std::vector<PiecewiseLinearMap> second{PiecewiseLinearMap(),
                                               PiecewiseLinearMap({-1, 0, 2}, {-2, 0, 1})};
  return {3, 1, {Node{0, 0.5, -1, -2}}, {first, second}, {{{1, 3}, 1}, {}}};
}

TEST(ConditionalLayer, ObeysTheLawsOfLayers) {
  check_layer_laws(two_leaves(), 2, Stream(170, Purpose::kTest));
}

TEST(ConditionalLayer, ObeysTheLawsOfLayersWithDeepTrees) {
  std::vector<std::vector<PiecewiseLinearMap>> maps(2);
  Stream stream(171, Purpose::kTest);
  for (auto& of_group : maps) {
    for (int leaf = 0; leaf < 4; ++leaf) {
      const double low = stream.normal(), step = 0.2 + stream.uniform();
      of_group.push_back({{-1, 0, 1}, {low, low + step, low + step + 1 + stream.uniform()}});
    }
  }
  const std::vector<Node> nodes{{0, 0.1, 1, -4}, {3, -0.7, -1, 2}, {0, -1, -2, -3}};
  check_layer_laws(ConditionalLayer(4, 2, nodes, maps, {{}, {}, {}, {}}), 2,
                   Stream(172, Purpose::kTest));
}

TEST(ConditionalLayer, MovesOneFeatureByTheMapOfItsLeaf) {
  const ConditionalLayer layer = two_leaves();
  Matrix x(2, 3);
  x << 0.4, 0.5, 7, 0.5, 0.5, 7;
  std::vector<double> log_det(2, 0.0);
  layer.forward(0, Rows(x), log_det.data());
  EXPECT_EQ(x(0, 1), 2);
  EXPECT_EQ(x(1, 1), 0.5) << "a value at the cut lies above it";
  EXPECT_NEAR(log_det[0], std::log(2.0), 1e-15);
  EXPECT_EQ(log_det[1], 0);
  EXPECT_EQ(x(0, 0), 0.4);
  EXPECT_EQ(x(0, 2), 7);
}

TEST(ConditionalLayer, HasOneLeafWithoutNodes) {
  const ConditionalLayer layer(2, 0, {}, {{PiecewiseLinearMap({0}, {1})}}, {{{1}, 1}});
  EXPECT_EQ(layer.num_leaves(), 1);
  Matrix x = Matrix::Zero(1, 2);
  layer.forward(0, Rows(x), nullptr);
  EXPECT_EQ(x(0, 0), 1);
  EXPECT_EQ(x(0, 1), 0);
}

}  // namespace conditional_layer_test
}  // namespace conflux

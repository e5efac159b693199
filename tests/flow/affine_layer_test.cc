#include "flow/affine_layer.h"

#include <gtest/gtest.h>

#include "tests/support/layer_laws.h"
#include "tests/support/random_layers.h"

namespace conflux {
namespace affine_layer_test {

TEST(AffineLayer, ObeysTheLawsOfLayers) {
  for (const Index dim : {1, 2, 7, 8, 9, 40}) {
    Stream stream(37, Purpose::kTest);
    check_layer_laws(random_affine_layer(3, dim, stream), 3, Stream(38, Purpose::kTest));
  }
}

TEST(AffineLayer, MovesTheMeanToTheCenterAndTheRestByTheMatrix) {
  Stream stream(39, Purpose::kTest);
  const AffineLayer layer = random_affine_layer(2, 6, stream);
  const AffineLayer::Map& map = layer.maps()[1];
  Matrix x = stream.normal_matrix(5, 6);
  x.row(0) = map.mean.transpose();
  const Matrix before = x;
  layer.forward(1, Rows(x), nullptr);
  EXPECT_EQ(x.row(0), map.center.transpose());
  for (Index i = 0; i < 5; ++i) {
    const Vector expected = map.center + map.matrix * (before.row(i).transpose() - map.mean);
    EXPECT_LT((x.row(i).transpose() - expected).cwiseAbs().maxCoeff(), 1e-13);
  }
}

}  // namespace affine_layer_test
}  // namespace conflux

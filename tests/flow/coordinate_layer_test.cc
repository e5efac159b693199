#include "flow/coordinate_layer.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/layer_laws.h"
#include "tests/support/random_layers.h"

namespace conflux {
namespace coordinate_layer_test {

std::string name_of(MapKind kind) {
  if (kind == MapKind::kQuantile) return "Quantile";
  return kind == MapKind::kHistogram ? "Histogram" : "Spline";
}

class CoordinateLayerTest : public testing::TestWithParam<MapKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, CoordinateLayerTest,
                         testing::Values(MapKind::kQuantile, MapKind::kHistogram, MapKind::kSpline),
                         [](const auto& instance) { return name_of(instance.param); });

TEST_P(CoordinateLayerTest, ObeysTheLawsOfLayers) {
  for (const Index dim : {1, 4, 30}) {
    Stream stream(34, Purpose::kTest);
    // Histogram maps with gaps are too steep for a law of 9 digits.
    const Bumps bumps =
        GetParam() == MapKind::kHistogram ? Bumps::kOneWideBump : Bumps::kTwoNarrowBumps;
    check_layer_laws(random_coordinate_layer(GetParam(), bumps, 3, dim, stream), 3,
                     Stream(35, Purpose::kTest));
  }
}

TEST_P(CoordinateLayerTest, EachCoordinateHasItsOwnMap) {
  Stream stream(36, Purpose::kTest);
  const CoordinateLayer layer =
      random_coordinate_layer(GetParam(), Bumps::kOneWideBump, 2, 4, stream);
  Matrix x = stream.normal_matrix(10, 4);
  const Matrix before = x;
  std::vector<double> log_det(10, 0.0), expected_log_det(10, 0.0);
  layer.forward(1, Rows(x), log_det.data());
  for (Index i = 0; i < 10; ++i) {
    for (Index j = 0; j < 4; ++j) {
      double value = before(i, j);
      forward(layer.maps()[1][j], std::span(&value, 1), &expected_log_det[i]);
      EXPECT_EQ(x(i, j), value);
    }
  }
  EXPECT_EQ(log_det, expected_log_det);
}

}  // namespace coordinate_layer_test
}  // namespace conflux

#include "flow/location_scale_layer.h"

#include <gtest/gtest.h>

#include "tests/support/layer_laws.h"
#include "tests/support/random_layers.h"

namespace conflux {
namespace location_scale_layer_test {

TEST(LocationScaleLayer, KeepsTheLawsOfLayers) {
  for (const Index dim : {1, 3, 20}) {
    Stream stream(static_cast<std::uint64_t>(dim), Purpose::kTest);
    check_layer_laws(random_location_scale_layer(3, dim, stream), 3, Stream(39, Purpose::kTest));
  }
}

// A layer that only looks as if it did nothing would move a target by rounding.
TEST(LocationScaleLayer, MovesNothingByAMapWithoutLocation) {
  std::vector<LocationScaleLayer::Map> maps(1);
  maps[0].from = maps[0].to = Vector::Zero(3);
  maps[0].scale = Vector::Ones(3);
  const LocationScaleLayer layer(std::move(maps));
  Stream stream(1, Purpose::kTest);
  const Matrix rows = 1e5 * stream.normal_matrix(50, 3);
  Matrix moved = rows;
  layer.forward(0, Rows(moved), nullptr);
  EXPECT_EQ(moved, rows);
}

}  // namespace location_scale_layer_test
}  // namespace conflux

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

// Three features of which two covariates, the last coordinates, predict a part.
LocationScaleLayer given_covariates() {
  Stream stream(5, Purpose::kTest);
  std::vector<LocationScaleLayer::Map> maps(2);
  for (LocationScaleLayer::Map& map : maps) {
    map.from = stream.normal_matrix(3, 1).col(0);
    map.to = stream.normal_matrix(3, 1).col(0);
    map.scale = stream.normal_matrix(3, 1).col(0).array().exp();
  }
  return LocationScaleLayer(std::move(maps), {}, stream.normal_matrix(2, 3));
}

TEST(LocationScaleLayer, KeepsTheLawsOfLayersWithCovariates) {
  check_layer_laws(given_covariates(), 2, Stream(40, Purpose::kTest));
}

// The same with an effect of the covariates in each group.
TEST(LocationScaleLayer, KeepsTheLawsOfLayersWithSlopesOfEachGroup) {
  const LocationScaleLayer same = given_covariates();
  Stream stream(6, Purpose::kTest);
  std::vector<Matrix> own = {stream.normal_matrix(2, 3), stream.normal_matrix(2, 3)};
  const LocationScaleLayer layer(same.maps(), {}, same.slopes(), own);
  check_layer_laws(layer, 2, Stream(41, Purpose::kTest));
  // Half of the way is half of the way.
  const Matrix rows = 2 * stream.normal_matrix(20, 5);
  Matrix there = rows, half = rows;
  layer.forward(1, Rows(there), nullptr);
  layer.part(0.5)->forward(1, Rows(half), nullptr);
  EXPECT_LT((half - 0.5 * (rows + there)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(LocationScaleLayer, NeverMovesCovariates) {
  Stream stream(2, Purpose::kTest);
  const Matrix rows = 10 * stream.normal_matrix(50, 5);
  const LocationScaleLayer layer = given_covariates();
  EXPECT_EQ(layer.dim(), 5);
  Matrix moved = rows;
  layer.forward(1, Rows(moved), nullptr);
  EXPECT_EQ(moved.rightCols(2), rows.rightCols(2));
  EXPECT_GT((moved - rows).leftCols(3).norm(), 1);
}

// The prediction from covariates is subtracted and added again: rounding must not move a target.
TEST(LocationScaleLayer, MovesNothingByAMapThatDoesNothingGivenCovariates) {
  Stream stream(3, Purpose::kTest);
  std::vector<LocationScaleLayer::Map> maps(1);
  maps[0].from = maps[0].to = Vector::Constant(3, 0.1);
  maps[0].scale = Vector::Ones(3);
  const LocationScaleLayer layer(std::move(maps), {}, stream.normal_matrix(2, 3));
  const Matrix rows = 1e5 * stream.normal_matrix(50, 5);
  Matrix moved = rows;
  layer.forward(0, Rows(moved), nullptr);
  EXPECT_EQ(moved, rows);
  layer.inverse(0, Rows(moved), nullptr);
  EXPECT_EQ(moved, rows);
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

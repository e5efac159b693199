#include "baselines/coupling_layer.h"

#include <gtest/gtest.h>

#include "baselines/coupling_training.h"
#include "tests/support/layer_laws.h"

namespace conflux {
namespace coupling_layer_test {

// Networks of a fit have parameters of about this size.
CouplingLayer random_layer(Index dim, Index groups, Index couplings, std::uint64_t seed) {
  const std::vector<CouplingMask> masks = draw_masks(dim, couplings, seed);
  Stream stream(seed, Purpose::kTest);
  std::vector<CouplingLayer::Map> maps;
  for (Index m = 0; m < groups; ++m) {
    CouplingLayer::Map& map = maps.emplace_back();
    map.from = {stream.normal_matrix(dim, 1), stream.normal_matrix(dim, 1).array().exp()};
    map.to = {stream.normal_matrix(dim, 1), stream.normal_matrix(dim, 1).array().exp()};
    for (const CouplingMask& mask : masks) {
      const networks::Coupling<double> coupling(mask, 10);
      const Matrix drawn = 0.3 * stream.normal_matrix(1, coupling.net().num_parameters());
      map.parameters.emplace_back(drawn.data(), drawn.data() + drawn.size());
    }
  }
  return {masks, 10, std::move(maps)};
}

TEST(CouplingLayer, ObeysTheLawsOfLayers) {
  for (const Index dim : {2, 3, 6, 17}) {
    SCOPED_TRACE(dim);
    check_layer_laws(random_layer(dim, 3, 4, 7), 3, Stream(8, Purpose::kTest));
  }
}

// The network of a coupling sees what the coupling does not move, so two couplings can move
// everything.
TEST(CouplingLayer, MovesAllFeaturesInTwoCouplings) {
  const CouplingLayer layer = random_layer(5, 1, 2, 9);
  for (std::size_t j = 0; j < 5; ++j) EXPECT_NE(layer.masks()[0][j], layer.masks()[1][j]);
  EXPECT_EQ(std::count(layer.masks()[0].begin(), layer.masks()[0].end(), true), 2);
}

TEST(CouplingLayer, LeavesAGroupWithoutParametersAlone) {
  const CouplingLayer some = random_layer(4, 2, 4, 10);
  std::vector<CouplingLayer::Map> maps = some.maps();
  maps[1].from = maps[1].to = CouplingLayer::unit(4);
  for (auto& each : maps[1].parameters) each.assign(each.size(), 0.0);
  const CouplingLayer layer(some.masks(), some.hidden(), maps);
  const Matrix before = 1e3 * Stream(11, Purpose::kTest).normal_matrix(20, 4);
  Matrix rows = before;
  std::vector<double> log_det(20, 0.0);
  layer.forward(1, Rows(rows), log_det.data());
  EXPECT_EQ(rows, before);
  EXPECT_EQ(log_det, std::vector<double>(20, 0.0));
}

}  // namespace coupling_layer_test
}  // namespace conflux

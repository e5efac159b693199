// A kind of layer that the library does not have, added by the patch that CONTRIBUTING.md shows:
// this program is linked with src/fitting/layer_kinds.cc as the patch leaves it.

#include <gtest/gtest.h>

#include "conflux/toys/toy.h"
#include "fitting/layer_kinds.h"
#include "tests/support/fit_scene.h"
#include "tests/support/layer_laws.h"

namespace conflux {
namespace toy_kind_test {

TEST(AToyKind, StandsInTheTable) {
  ASSERT_NE(find_layer_kind("shift"), nullptr);
  EXPECT_EQ(layer_kinds().back().name, "shift");
  EXPECT_NE(find_layer_kind("sliced"), nullptr);
}

TEST(AToyKind, ObeysTheLawsAndAligns) {
  FitScene scene(make_gaussian_groups(3, 4, 100, 2));
  const Fitted candidate = layer_kind("shift").start(scene.input())->fit(scene.input(), 0, 1);
  check_layer_laws(*candidate.layers.front(), 3, Stream(1, Purpose::kTest));
  Work work;
  candidate.move(scene.latent, work);
  const GroupSet& moved = scene.latent.groups();
  const auto mean = [&](Index m) { return Vector(moved[m].rows.to_matrix().colwise().mean()); };
  EXPECT_LT((mean(0) - mean(1)).norm(), 1e-12);
  EXPECT_LT((mean(0) - mean(2)).norm(), 1e-12);
}

TEST(AToyKind, GivesANewGroupTheMapOfItsTwin) {
  FitScene scene(make_gaussian_groups(2, 4, 100, 3));
  const LayerKind& kind = layer_kind("shift");
  const GroupSet groups = make_gaussian_groups(2, 4, 100, 3);
  const Fitted fitted = kind.start(scene.input())->fit(scene.input(), 0, 1);
  GroupSet twin;
  twin.add("twin", groups[1].rows);
  const RowChoice chosen = all_rows(twin);
  const LayerPointer wider =
      kind.widen(fitted.layers.front(), {twin, chosen, 0, 1, scene.options, scene.workers});
  ASSERT_EQ(wider->num_groups(), 3);
  Matrix of_group = groups[1].rows.to_matrix();
  Matrix of_twin = of_group;
  wider->forward(1, Rows(of_group), nullptr);
  wider->forward(2, Rows(of_twin), nullptr);
  EXPECT_EQ(of_group, of_twin);
}

}  // namespace toy_kind_test
}  // namespace conflux

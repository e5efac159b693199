#include "fitting/layer_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "conflux/core/error.h"
#include "conflux/toys/toy.h"
#include "options/methods.h"
#include "storage/layer_codecs.h"
#include "tests/support/fit_scene.h"

namespace conflux {
namespace layer_kinds_test {

std::set<std::string_view> names_of_clusters() {
  std::set<std::string_view> out;
  for (const LayerKind& each : layer_kinds()) {
    EXPECT_TRUE(out.insert(each.name).second) << each.name << " stands twice";
  }
  return out;
}

TEST(LayerKinds, AreTheKindsThatMethodsName) {
  const std::set<std::string_view> kinds = names_of_clusters();
  std::set<std::string_view> named{"gated"};  // an option of sliced layers, not of a method
  for (const MethodInfo& method : kMethods) {
    for (const std::string_view kind : {method.opens, method.turn, method.other_turn}) {
      if (!kind.empty()) named.insert(kind);
    }
  }
  EXPECT_EQ(named, kinds);
}

TEST(LayerKinds, CanAllBeSaved) {
  std::set<std::string_view> codecs;
  for (const LayerCodec& each : layer_codecs()) {
    EXPECT_TRUE(codecs.insert(each.kind).second) << each.kind << " stands twice";
  }
  for (const LayerKind& each : layer_kinds()) {
    for (const std::string_view made : each.makes.empty() ? std::vector{each.name} : each.makes) {
      EXPECT_TRUE(codecs.contains(made)) << each.name << " makes " << made;
    }
  }
}

TEST(LayerKinds, AreFoundByName) {
  EXPECT_EQ(layer_kind("sliced").name, "sliced");
  EXPECT_EQ(find_layer_kind("slcied"), nullptr);
  EXPECT_THROW(layer_kind("slcied"), Error);
}

TEST(LayerKinds, OptionsTellTheStrengthOfTheMainKindOnly) {
  const FitOptions options{.method = Method::kTreeInb, .strength = 0.3};
  EXPECT_EQ(strength_of("sliced", options), 0.3);
  EXPECT_EQ(strength_of("gated", options), 0.3);
  EXPECT_EQ(strength_of("tree", options), 1);
  EXPECT_EQ(strength_of("tree", {.method = Method::kTree, .strength = 0.3}), 0.3);
  EXPECT_EQ(strength_of("coordinate", {.method = Method::kNbInb, .strength = 0.3}), 1);
}

// A candidate that is not taken must leave no trace.
TEST(LayerKinds, FitCandidatesThatMoveNothingUntilTheyAreTaken) {
  for (const std::string_view name : {"sliced", "coordinate", "location-scale", "affine", "tree"}) {
    FitScene scene(make_gaussian_groups(3, 4, 100, 1));
    const Matrix before = scene.latent.groups()[1].rows.to_matrix();
    const Fitted candidate = layer_kind(name).start(scene.input())->fit(scene.input(), 0, 1);
    ASSERT_TRUE(candidate) << name;
    EXPECT_EQ(scene.latent.groups()[1].rows.to_matrix(), before) << name;
    Work work;
    candidate.move(scene.latent, work);
    Matrix moved = before;
    candidate.layers.front()->forward(1, Rows(moved), nullptr);
    EXPECT_EQ(scene.latent.groups()[1].rows.to_matrix(), moved) << name;
  }
}

}  // namespace layer_kinds_test
}  // namespace conflux

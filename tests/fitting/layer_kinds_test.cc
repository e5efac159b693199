#include "fitting/layer_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "conflux/core/error.h"
#include "conflux/toys/toy.h"
#include "options/methods.h"
#include "storage/layer_codecs.h"
#include "tests/fitting/shift_kind.h"
#include "tests/support/layer_laws.h"

namespace conflux {
namespace layer_kinds_test {

std::set<std::string_view> names_of_kinds() {
  std::set<std::string_view> out;
  for (const LayerKind& each : layer_kinds()) {
    EXPECT_TRUE(out.insert(each.name).second) << each.name << " stands twice";
  }
  return out;
}

TEST(LayerKinds, AreTheKindsThatMethodsName) {
  const std::set<std::string_view> kinds = names_of_kinds();
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

// What a fit gives to its fitters.
struct Scene {
  explicit Scene(GroupSet groups) : latent(std::move(groups)), usable(all_rows(latent.groups())) {
    for (const auto& rows : usable) sizes.push_back(static_cast<Index>(rows.size()));
    const GroupSet& given = latent.groups();
    options = resolve(options, {given.dim(), given.names(), sizes});
  }
  FitInput input() { return {latent, usable, sizes, options, comm, workers}; }

  Latent latent;
  RowChoice usable;
  std::vector<Index> sizes;
  FitOptions options;
  SelfCommunicator comm;
  Workers workers{1};
};

// A candidate that is not taken must leave no trace.
TEST(LayerKinds, FitCandidatesThatMoveNothingUntilTheyAreTaken) {
  for (const std::string_view name : {"sliced", "coordinate", "affine", "tree"}) {
    Scene scene(make_gaussian_groups(3, 4, 100, 1));
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

// tests/fitting/shift_kind.h is all that a new kind takes.
TEST(AToyKind, ObeysTheLawsAndAligns) {
  Scene scene(make_gaussian_groups(3, 4, 100, 2));
  const LayerKind kind = shift_kind();
  const Fitted candidate = kind.start(scene.input())->fit(scene.input(), 0, 1);
  check_layer_laws(*candidate.layers.front(), 3, Stream(1, Purpose::kTest));
  Work work;
  candidate.move(scene.latent, work);
  const GroupSet& moved = scene.latent.groups();
  const auto mean = [&](Index m) { return Vector(moved[m].rows.to_matrix().colwise().mean()); };
  EXPECT_LT((mean(0) - mean(1)).norm(), 1e-12);
  EXPECT_LT((mean(0) - mean(2)).norm(), 1e-12);
}

TEST(AToyKind, GivesANewGroupTheMapOfItsTwin) {
  Scene scene(make_gaussian_groups(2, 4, 100, 3));
  const LayerKind kind = shift_kind();
  const GroupSet groups = make_gaussian_groups(2, 4, 100, 3);
  const Fitted fitted = kind.start(scene.input())->fit(scene.input(), 0, 1);
  GroupSet twin;
  twin.add("twin", groups[1].rows);
  const RowChoice chosen = all_rows(twin);
  const LayerPointer wider =
      kind.widen(fitted.layers.front(), {twin, chosen, 0, 1, scene.options, scene.workers});
  const auto& shifts = dynamic_cast<const ShiftLayer&>(*wider).shifts();
  ASSERT_EQ(shifts.size(), 3u);
  EXPECT_EQ(shifts[2], shifts[1]);
}

}  // namespace layer_kinds_test
}  // namespace conflux

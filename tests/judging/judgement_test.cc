#include "conflux/judging/judgement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "conflux/core/error.h"
#include "core/rng.h"

namespace conflux {
namespace judgement_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Two groups in turn, the second one shifted by `shift` along feature 1; two labels, far apart.
struct Scene {
  Matrix before, after;
  std::vector<Index> group_of, label_of;

  Scene(Index rows, double shift, std::uint64_t seed = 1)
      : before(Stream(seed, Purpose::kTest).normal_matrix(rows, 3)) {
    for (Index i = 0; i < rows; ++i) {
      group_of.push_back(i % 2);
      label_of.push_back((i / 2) % 2);
      before(i, 0) += 8 * static_cast<double>(label_of.back());
    }
    after = before;
    for (Index i = 0; i < rows; ++i) {
      before(i, 1) += group_of[i] == 1 ? shift : 0;
    }
  }

  Judgement judge(const JudgementOptions& options = {}, int threads = 0) const {
    return judge_alignment({.before = SampleRows(before),
                            .after = SampleRows(after),
                            .group_of = group_of,
                            .label_of = label_of,
                            .group_names = {"a", "b"},
                            .label_names = {"near", "far"},
                            .feature_names = {"x", "y", "z"}},
                           options, Workers(threads));
  }
};

TEST(Judgement, SaysThatAShiftIsGone) {
  const Judgement found = Scene(600, 3).judge();
  EXPECT_EQ(found.verdict, Verdict::kAligned);
  EXPECT_THAT(found.sentences.front(), StartsWith("Aligned"));
  EXPECT_GT(found.prediction_before.auc, 0.95);
  EXPECT_GT(found.energy.before, 10 * std::abs(found.energy.after));
  EXPECT_LE(found.energy.after, found.energy.by_chance);
  ASSERT_TRUE(found.ilisi);
  EXPECT_GT(found.ilisi->after, found.ilisi->before + 0.3);
  EXPECT_NEAR(found.ilisi->after, found.ilisi->by_chance, 0.1);
  EXPECT_NEAR(found.mean_neighbors_kept, 1, 1e-12);
  EXPECT_EQ(found.features_moved.front().name, "y");
  // Half of the rows move by 3, and the deviation within groups is 1.
  EXPECT_NEAR(found.features_moved.front().distance, 3 / std::sqrt(2), 0.2);
  EXPECT_EQ(found.groups_moved.front().name, "b");
  ASSERT_TRUE(found.label_transfer);
  EXPECT_GT(found.label_transfer->after, 0.99);
  EXPECT_NEAR(found.label_transfer->by_chance, 0.5, 0.01);
  EXPECT_THAT(found.warnings, IsEmpty());
}

// Means over groups say little of the one group that stays behind.
TEST(Judgement, TellsHowFarEachGroupIsFromTheRest) {
  const Judgement found = Scene(600, 3).judge();
  ASSERT_EQ(found.energy_of_group.size(), 2u);
  double before = 0, after = 0;
  for (const GroupDistance& each : found.energy_of_group) {
    before += each.before / 2;
    after += each.after / 2;
    EXPECT_LT(each.low, each.high);
    EXPECT_GT(each.before, each.high);
  }
  EXPECT_NEAR(before, found.energy.before, 1e-12);
  EXPECT_NEAR(after, found.energy.after, 1e-12);
  EXPECT_LT(found.energy_low, found.energy.by_chance);
}

// Rows that repeat those of the other group lie closer than any random assignment.
TEST(Judgement, SeesThatRowsFollowEachOtherTooClosely) {
  Scene scene(400, 0, 2);
  for (Index i = 1; i < 400; i += 2) scene.after.row(i) = scene.after.row(i - 1);
  const Judgement found = scene.judge();
  EXPECT_LT(found.energy.after, found.energy_low);
}

TEST(Judgement, SaysWhenThereWasNothingToAlign) {
  const Judgement found = Scene(400, 0, 2).judge();
  EXPECT_EQ(found.verdict, Verdict::kNothingToAlign);
  EXPECT_LE(found.energy.before, found.energy.by_chance);
}

// Rows that look alike before and not after have been through the model already.
TEST(Judgement, RecognizesRowsThatWereAlignedAlready) {
  Scene scene(600, 3, 3);
  std::swap(scene.before, scene.after);
  const Judgement found = scene.judge();
  EXPECT_EQ(found.verdict, Verdict::kWorse);
  EXPECT_THAT(found.sentences.front(), HasSubstr("aligned already"));
}

TEST(Judgement, WarnsWhenTheGroupIsGivenAway) {
  Scene scene(600, 1, 4);
  for (Index i = 0; i < 600; ++i) scene.after(i, 2) += 5 * static_cast<double>(scene.group_of[i]);
  const Judgement found = scene.judge();
  EXPECT_EQ(found.verdict, Verdict::kWorse);
  EXPECT_THAT(found.warnings, testing::Not(IsEmpty()));
}

// The labels of group b are exchanged by the move.
TEST(Judgement, WarnsWhenLabelsAreMixed) {
  Scene scene(600, 3, 5);
  for (Index i = 0; i < 600; ++i) {
    if (scene.group_of[i] == 1) scene.after(i, 0) = 8 - scene.after(i, 0);
  }
  const Judgement found = scene.judge();
  EXPECT_LT(found.label_transfer->after, 0.05);
  EXPECT_THAT(found.warnings, testing::Contains(HasSubstr("labels are mixed more")));
  EXPECT_THAT(found.warnings, testing::Contains(HasSubstr("--gate label")));
}

TEST(Judgement, WarnsWhenAGroupIsTornApart) {
  Scene scene(600, 3, 6);
  const Matrix noise = Stream(7, Purpose::kTest).normal_matrix(600, 3);
  for (Index i = 0; i < 600; ++i) {
    if (scene.group_of[i] == 1) scene.after.row(i) = noise.row(i);
  }
  const Judgement found = scene.judge();
  EXPECT_LT(found.neighbors_kept[1], 0.2);
  EXPECT_THAT(found.warnings, testing::Contains(HasSubstr("b (0.")));
}

// Meters or millimeters: features in different units are compared in standard deviations.
TEST(Judgement, DoesNotDependOnUnits) {
  const Scene scene(400, 2, 8);
  Scene scaled = scene;
  for (Matrix* rows : {&scaled.before, &scaled.after}) rows->col(2) *= 1e-4;
  Scene more = scaled;
  for (Matrix* rows : {&more.before, &more.after}) rows->col(2) *= 1e-4;
  const Judgement one = scaled.judge(), other = more.judge();
  EXPECT_NEAR(one.energy.after, other.energy.after, 1e-9);
  EXPECT_NEAR(one.ilisi->after, other.ilisi->after, 1e-6);
  EXPECT_EQ(one.prediction_after.auc, other.prediction_after.auc);
}

TEST(Judgement, DoesNotDependOnThreads) {
  const Scene scene(400, 1, 9);
  const Judgement one = scene.judge({}, 1), two = scene.judge({}, 2);
  EXPECT_EQ(one.energy.after, two.energy.after);
  EXPECT_EQ(one.sentences, two.sentences);
  EXPECT_EQ(one.label_transfer->before, two.label_transfer->before);
  EXPECT_EQ(one.neighborhoods, two.neighborhoods);
  ASSERT_EQ(one.neighborhoods.size(), 2u);
}

// Groups that hold labels in different shares can be predicted from the labels alone, which an
// alignment that protects labels must leave so and is not to be blamed for.
TEST(Judgement, ProtectedLabelsAreJudgedAmongRowsOfOneLabel) {
  Scene scene(1200, 3, 12);
  for (Index i = 0; i < 1200; ++i) {
    const bool far = i % 10 < (scene.group_of[i] == 1 ? 8 : 2);
    const double step = far ? 8 : 0;
    scene.after(i, 0) += step - 8 * static_cast<double>(scene.label_of[i]);
    scene.before(i, 0) += step - 8 * static_cast<double>(scene.label_of[i]);
    scene.label_of[i] = far ? 1 : 0;
  }
  const Judgement blind = scene.judge();
  EXPECT_EQ(blind.verdict, Verdict::kReduced);
  EXPECT_FALSE(blind.within_labels);
  const Judgement found = scene.judge({.labels_protected = true});
  EXPECT_TRUE(found.within_labels);
  EXPECT_EQ(found.verdict, Verdict::kAligned);
  EXPECT_GT(found.within_before->auc, 0.95);
  EXPECT_LE(found.within_after->auc, found.within_after->by_chance());
  EXPECT_THAT(found.sentences[0], HasSubstr("within labels the group"));
  EXPECT_THAT(found.sentences[1], HasSubstr("different proportions"));
}

// A row of unknown label is no row of a label of its own: counted as one, it would make labels look
// mixed that lie far apart.
TEST(Judgement, LabelsAreJudgedWhereTheyAreKnown) {
  Scene scene(1200, 3);
  for (Index i = 0; i < 1200; ++i) {
    if ((i / 4) % 4 != 0) scene.label_of[i] = -1;
  }
  const Judgement found = scene.judge();
  ASSERT_TRUE(found.clisi);
  EXPECT_LT(found.clisi->after, 1.01);
  ASSERT_EQ(found.clisi_of_label.size(), 2u);
  EXPECT_LT(found.clisi_of_label[1].after, 1.01);
  ASSERT_EQ(found.neighborhoods.size(), 2u);
  EXPECT_GT(found.neighborhoods[1].after[1], 0.99);
  EXPECT_LT(found.neighborhoods[1].rows, 300);
  EXPECT_THAT(found.warnings, IsEmpty());
  // Too few to count neighbors: no figure instead of a wrong one.
  for (Index i = 100; i < 1200; ++i) scene.label_of[i] = -1;
  EXPECT_FALSE(scene.judge().clisi);
}

TEST(Judgement, RefusesRowsThatDoNotFit) {
  Scene scene(100, 1);
  scene.group_of.pop_back();
  EXPECT_THROW(scene.judge(), InvalidData);
}

}  // namespace judgement_test
}  // namespace conflux

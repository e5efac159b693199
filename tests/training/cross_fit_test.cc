#include "training/cross_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conflux/metrics/group_prediction.h"
#include "core/rng.h"
#include "judging/judged_fit.h"
#include "training/fit_plan.h"
#include "training/held_out.h"

namespace conflux {
namespace cross_fit_test {

using testing::Contains;
using testing::HasSubstr;

const Workers kWorkers(2);

// Two clouds in four features, one of them wider and elsewhere.
GroupSet small_groups(Index rows, std::uint64_t seed) {
  GroupSet out;
  for (Index m = 0; m < 2; ++m) {
    Stream stream(seed, Purpose::kTest, static_cast<std::uint64_t>(m));
    Matrix x = stream.normal_matrix(rows, 4);
    if (m == 1) x.leftCols(2) = (1.5 * x.leftCols(2)).array() + 1.0;
    out.add(m == 0 ? "a" : "b", std::move(x));
  }
  return out;
}

// Some groups are too small for the test.
FitPlan differing() {
  FitPlan out;
  out.groups_differ = true;
  return out;
}

GroupSet moved_by(const Flow& flow, const GroupSet& groups) {
  GroupSet out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    out.add(groups[m].name, flow.forward(m, groups[m].rows, kWorkers));
  }
  return out;
}

double left_between(const Flow& flow, const GroupSet& groups) {
  return judge_rows(moved_by(flow, groups), kWorkers).divergence;
}

TEST(CrossFit, GivesSmallGroupsAsManyLayersAsNewRowsGainBy) {
  const GroupSet unseen = small_groups(1000, 77);
  double chosen = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const GroupSet groups = small_groups(60, seed);
    const Fit few = fit_flow(groups, {.method = Method::kCascade});
    EXPECT_GT(few.flow.num_layers(), 0);
    EXPECT_LT(few.flow.num_layers(), *few.record.options.layers);
    chosen += left_between(few.flow, unseen);
    all += left_between(fit_flow(groups, {.method = Method::kInb}).flow, unseen);
  }
  EXPECT_LT(chosen, all);
  EXPECT_LT(chosen / 5, 0.15 * judge_rows(unseen, kWorkers).divergence);
}

TEST(CrossFit, RehearsesWithRowsThatItsFitHasNotSeen) {
  const GroupSet groups = small_groups(60, 8);
  const Fit fit = fit_flow(groups, {.method = Method::kCascade});
  ASSERT_TRUE(fit.rehearsed.has_value());
  EXPECT_EQ(fit.rehearsed->before[0].rows.rows(), 30);
  EXPECT_EQ(fit.rehearsed->after[1].rows.rows(), 30);
  const Halves halves = halve_rows(groups, 0);
  for (Index i = 0; i < 30; ++i) {
    for (Index j = 0; j < 30; ++j) {
      EXPECT_NE(halves.fitted[0].rows(i, 0), halves.unseen[0].rows(j, 0));
    }
  }
}

// Rows of the fit itself can be predicted with an AUC of 0.3, as if groups avoided each other.
TEST(CrossFit, TellsHowNewRowsWillDo) {
  RowsToJudge rows = choose_rows_to_judge(small_groups(80, 9), 0, {.gate = Gating::kNone});
  Fit fit = fit_flow(rows.fitted, rows.options);
  const auto judgement = judge_fit(fit, rows);
  ASSERT_TRUE(judgement.has_value());
  EXPECT_EQ(judgement->rows, 80);
  EXPECT_EQ(fit.record.summary.unseen_rows, 80);
  EXPECT_THAT(fit.record.summary.sentences, Contains(HasSubstr("by a trial fit")));
  EXPECT_GT(judgement->prediction_after.auc, 0.4);
}

// The first feature of group b goes up where the second is positive, and down where it is not.
GroupSet interacting_groups(Index rows, std::uint64_t seed) {
  GroupSet out;
  for (Index m = 0; m < 2; ++m) {
    Stream stream(seed, Purpose::kTest, static_cast<std::uint64_t>(m));
    Matrix x = stream.normal_matrix(rows, 4);
    for (Index i = 0; m == 1 && i < rows; ++i) x(i, 0) += x(i, 1) > 0 ? 1 : -1;
    out.add(m == 0 ? "a" : "b", std::move(x));
  }
  return out;
}

TEST(CrossFit, SeesInteractionsOfSmallTables) {
  const Fit fit = fit_flow(interacting_groups(300, 10), {.gate = Gating::kNone});
  const GroupSet unseen = interacting_groups(2000, 78);
  EXPECT_GT(predict_groups(unseen, {}, kWorkers).auc, 0.65);
  EXPECT_LT(predict_groups(moved_by(fit.flow, unseen), {}, kWorkers).auc, 0.6);
}

TEST(CrossFit, HasTheSameBitsOnAnyNumberOfThreads) {
  const GroupSet groups = small_groups(60, 11);
  const Fit one = fit_flow(groups, {.threads = 1}), four = fit_flow(groups, {.threads = 4});
  const Matrix rows = groups[0].rows.to_matrix();
  EXPECT_EQ(one.flow.forward(0, rows, kWorkers), four.flow.forward(0, rows, kWorkers));
}

TEST(CrossFit, IsNotForGroupsThatCannotBeSplitNorAgainstTheUsersWish) {
  SelfCommunicator alone;
  const Fit tiny = fit_planned(small_groups(8, 12), {.layers = 7}, alone, {}, differing());
  EXPECT_EQ(tiny.flow.num_layers(), 7);
  EXPECT_FALSE(tiny.rehearsed.has_value());
  const Fit cautious =
      fit_planned(small_groups(8, 12), {.method = Method::kCascade}, alone, {}, differing());
  EXPECT_LE(cautious.flow.num_layers(), 10);
  GroupSet images;
  Stream stream(17, Purpose::kTest);
  for (const char* name : {"a", "b"})
    images.add(name, 0.1 * stream.normal_matrix(60, 4).array().sin().matrix() +
                         Matrix::Constant(60, 4, 0.5));
  const Fit whole = fit_planned(images, {.method = Method::kCascade, .unit_cube = UnitCube::kOn},
                                alone, {}, differing());
  EXPECT_GT(whole.flow.num_layers(), 50);
  const Fit unjudged = fit_flow(small_groups(60, 13), {.layers = 7, .validation_fraction = 0});
  EXPECT_EQ(unjudged.flow.num_layers(), 7);
  EXPECT_FALSE(unjudged.rehearsed.has_value());
}

// A batch of seven among large ones is moved with them, but has no rows that could be left out.
TEST(CrossFit, LeavesSmallestGroupsWhole) {
  GroupSet groups = small_groups(60, 15);
  groups.add("tiny", small_groups(7, 16)[0].rows.to_matrix());
  RowsToJudge rows = choose_rows_to_judge(groups, 0, {.gate = Gating::kNone});
  Fit fit = fit_flow(rows.fitted, rows.options);
  EXPECT_LT(fit.flow.num_layers(), *fit.record.options.layers);
  ASSERT_TRUE(fit.rehearsed.has_value());
  EXPECT_EQ(fit.rehearsed->before[2].rows.rows(), 0);
  const auto judgement = judge_fit(fit, rows);
  ASSERT_TRUE(judgement.has_value());
  EXPECT_EQ(judgement->rows, 60);
  EXPECT_THAT(fit.record.summary.sentences, Contains(HasSubstr("too small to hold out rows")));
}

TEST(CrossFit, EndsWhenItIsToldTo) {
  SelfCommunicator alone;
  const Fit fit =
      fit_flow(small_groups(60, 14), {}, alone, [](const LayerRecord&) { return false; });
  EXPECT_LE(fit.flow.num_layers(), 1);
}

}  // namespace cross_fit_test
}  // namespace conflux

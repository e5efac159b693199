#include "judging/judged_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "conflux/core/error.h"
#include "core/rng.h"

namespace conflux {
namespace judged_fit_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

GroupSet shifted_groups(const std::vector<Index>& sizes, double shift) {
  GroupSet out;
  for (std::size_t m = 0; m < sizes.size(); ++m) {
    Matrix rows = Stream(m + 1, Purpose::kTest).normal_matrix(sizes[m], 3);
    rows.col(1).array() += shift * static_cast<double>(m);
    out.add(std::string(1, static_cast<char>('a' + m)), std::move(rows));
  }
  return out;
}

// A row that is both fitted and scored would be optimistic; one that is neither would be lost.
TEST(RowsToJudge, EveryRowIsEitherFittedOrSetAside) {
  const GroupSet groups = shifted_groups({200, 300}, 1);
  const RowsToJudge found = choose_rows_to_judge(groups, 0.2, {});
  EXPECT_EQ(found.by, JudgedBy::kSetAside);
  EXPECT_EQ(found.unseen_rows, 40 + 60);
  for (Index m = 0; m < 2; ++m) {
    std::multiset<double> expected, seen;
    for (Index i = 0; i < groups[m].rows.rows(); ++i) expected.insert(groups[m].rows(i, 0));
    for (const GroupSet* part : {&found.fitted, &found.judged}) {
      for (Index i = 0; i < (*part)[m].rows.rows(); ++i) seen.insert((*part)[m].rows(i, 0));
    }
    EXPECT_EQ(seen, expected);
    EXPECT_EQ(found.judged[m].rows(0, 0), groups[m].rows(found.set_aside[m][0], 0));
  }
}

// Rows that a pool leaves are unseen without being asked for.
TEST(RowsToJudge, RowsBeyondThePoolJudge) {
  const GroupSet groups = shifted_groups({900, 800, 250}, 1);
  FitOptions options;
  options.fit_rows = 300;
  const RowsToJudge found = choose_rows_to_judge(groups, 0, options);
  EXPECT_EQ(found.by, JudgedBy::kSetAside);
  EXPECT_THAT(found.drawn_from, ElementsAre(900, 800, 250));
  EXPECT_EQ(found.fitted_rows, 300 + 300 + 250);
  EXPECT_THAT(found.too_small, ElementsAre("c"));
  std::set<double> fitted;
  for (Index i = 0; i < 300; ++i) fitted.insert(found.fitted[0].rows(i, 0));
  for (Index i = 0; i < found.judged[0].rows.rows(); ++i) {
    EXPECT_FALSE(fitted.contains(found.judged[0].rows(i, 0)));
  }
  SelfCommunicator comm;
  GroupSet rows = found.fitted;
  Fit fit = fit_planned(std::move(rows), found.options, comm, {}, found.plan());
  judge_fit(fit, found);
  EXPECT_THAT(fit.record.given_sizes, ElementsAre(900, 800, 250));
  EXPECT_THAT(fit.record.summary.sentences, Contains(HasSubstr("Fitted on 850 of 1950 rows")));
}

TEST(RowsToJudge, SmallGroupsKeepTheirRowsAndAreNamed) {
  const RowsToJudge found = choose_rows_to_judge(shifted_groups({300, 50, 300}, 1), 0.2, {});
  EXPECT_THAT(found.too_small, ElementsAre("b"));
  EXPECT_EQ(found.fitted[1].rows.rows(), 50);
  EXPECT_THAT(found.judged.names(), ElementsAre("a", "c"));
  const RowsToJudge all_small = choose_rows_to_judge(shifted_groups({50, 60}, 1), 0.2, {});
  EXPECT_NE(all_small.by, JudgedBy::kSetAside);
  EXPECT_EQ(all_small.fitted_rows, 110);
}

// The rows that the fit reports as held out must be those that it held out.
TEST(RowsToJudge, WithoutAShareTheHeldOutRowsOfTheFitAreJudged) {
  const GroupSet groups = shifted_groups({500, 500}, 1);
  FitOptions options;
  options.method = Method::kInb;
  options.layers = 3;
  options.validation_fraction = 0.1;
  const RowsToJudge found = choose_rows_to_judge(groups, 0, options);
  EXPECT_EQ(found.by, JudgedBy::kHeldOut);
  EXPECT_EQ(found.judged.num_samples(), 100);
  EXPECT_EQ(found.fitted.num_samples(), 1000);
  options.validation_fraction = 0;
  EXPECT_EQ(choose_rows_to_judge(groups, 0, options).by, JudgedBy::kFitted);
}

TEST(RowsToJudge, LabelsAndWeightsStayWithTheirRows) {
  GroupSet groups;
  std::vector<std::vector<Index>> labels;
  for (const char* name : {"a", "b"}) {
    Matrix rows(200, 1);
    std::vector<double> weights;
    auto& own = labels.emplace_back();
    for (Index i = 0; i < 200; ++i) {
      rows(i, 0) = static_cast<double>(i);
      weights.push_back(static_cast<double>(i) + 1);
      own.push_back(i % 3);
    }
    groups.add(name, std::move(rows), std::move(weights));
  }
  groups.set_labels({"x", "y", "z"}, labels);
  const RowsToJudge found = choose_rows_to_judge(groups, 0.3, {});
  for (Index i = 0; i < found.fitted[1].rows.rows(); ++i) {
    EXPECT_EQ(found.fitted[1].masses[i], found.fitted[1].rows(i, 0) + 1);
  }
  for (Index i = 0; i < found.judged[0].rows.rows(); ++i) {
    EXPECT_EQ(found.judged[0].label(i), static_cast<Index>(found.judged[0].rows(i, 0)) % 3);
  }
}

TEST(RowsToJudge, SharesOutsideTheirRangeAreRefused) {
  EXPECT_THROW(choose_rows_to_judge(shifted_groups({100, 100}, 1), 1, {}), InvalidOption);
  EXPECT_THROW(choose_rows_to_judge(shifted_groups({100, 100}, 1), -0.1, {}), InvalidOption);
}

Fit fitted(RowsToJudge& rows, Index layers) {
  FitOptions options;
  options.method = Method::kInb;
  options.layers = layers;
  options.strength = 1;
  options.validation_fraction = 0;
  return fit_flow(std::move(rows.fitted), options);
}

TEST(JudgedFit, TheSummarySaysHowWellUnseenRowsAreAligned) {
  RowsToJudge rows = choose_rows_to_judge(shifted_groups({1500, 1500}, 2), 0.2, {});
  Fit fit = fitted(rows, 5);
  ASSERT_TRUE(judge_fit(fit, rows));
  const FitSummary& summary = fit.record.summary;
  EXPECT_GT(summary.auc_before, 0.8);
  EXPECT_LT(summary.auc_after, 0.6);
  EXPECT_EQ(summary.unseen_rows, 600);
  EXPECT_EQ(summary.moved_most.front(), "2");
  EXPECT_THAT(summary.sentences, Contains(HasSubstr("600 test rows, kept from the fit")));
  EXPECT_THAT(summary.sentences.back(), HasSubstr("5 layers"));
}

// Rows of the target do not move when all rows are shown as rows of the target.
TEST(JudgedFit, RowsCanBeJudgedAsRowsOfAGroup) {
  RowsToJudge rows = choose_rows_to_judge(shifted_groups({1500, 1500}, 2), 0.2, {});
  Fit fit = fitted(rows, 5);
  const std::optional<Judgement> found = judge_fit(fit, rows, "b");
  ASSERT_TRUE(found);
  EXPECT_LT(found->prediction_after.auc, 0.6);
  EXPECT_EQ(found->groups_moved.back().name, "b");
  EXPECT_LT(found->groups_moved.back().distance, 1e-9);
  EXPECT_NEAR(found->features_moved.front().distance, 2 / std::sqrt(2.0), 0.15);
}

// A fit without layers leaves the groups as they are, which must not pass for an alignment.
TEST(JudgedFit, WarnsWhenNothingWasGained) {
  RowsToJudge rows = choose_rows_to_judge(shifted_groups({500, 500}, 2), 0.2, {});
  Fit fit{.flow = Flow({"a", "b"}, 3), .record = {}};
  judge_fit(fit, rows);
  EXPECT_EQ(fit.record.summary.verdict, "unchanged");
  EXPECT_THAT(fit.record.warnings, Contains(HasSubstr("does not hide the group")));
}

TEST(JudgedFit, WhatIsLeftAloneSaysSo) {
  const GroupSet groups = shifted_groups({60, 80}, 0);
  const Fit fit = fit_that_leaves(groups, {});
  EXPECT_EQ(fit.flow.num_layers(), 0);
  EXPECT_THAT(fit.record.group_sizes, ElementsAre(60, 80));
  EXPECT_EQ(fit.record.summary.verdict, "nothing to align");
  EXPECT_THAT(fit.record.summary.sentences, Contains(HasSubstr("left as they are")));
}

TEST(JudgedFit, FittedRowsAreSaidToFlatter) {
  RowsToJudge rows = choose_rows_to_judge(shifted_groups({60, 60}, 2), 0, [] {
    FitOptions options;
    options.method = Method::kInb;
    options.validation_fraction = 0;
    return options;
  }());
  Fit fit = fitted(rows, 2);
  judge_fit(fit, rows);
  EXPECT_THAT(fit.record.summary.sentences,
              Contains(HasSubstr("training rows, which are optimistic")));
  EXPECT_EQ(fit.record.summary.unseen_rows, 0);
}

}  // namespace judged_fit_test
}  // namespace conflux

#include "conflux/metrics/group_prediction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "conflux/core/error.h"
#include "core/rng.h"

namespace conflux {
namespace group_prediction_test {

struct Labeled {
  Matrix rows;
  std::vector<Index> group_of;
};

// Groups of `per_group` rows in turn; group m is shifted by m * shift along feature 0.
Labeled shifted(Index per_group, Index groups, Index dim, double shift, std::uint64_t seed) {
  Labeled out{Stream(seed, Purpose::kTest).normal_matrix(per_group * groups, dim), {}};
  for (Index i = 0; i < out.rows.rows(); ++i) {
    out.group_of.push_back(i % groups);
    out.rows(i, 0) += static_cast<double>(i % groups) * shift;
  }
  return out;
}

GroupPrediction predict(const Labeled& data, PredictionOptions options = {}, int threads = 0) {
  options.importance = true;
  return predict_groups(SampleRows(data.rows), data.group_of, options, Workers(threads));
}

// Two normal laws that differ by s along one axis have an AUC of Phi(s / sqrt 2) at best.
TEST(GroupPredictionTest, ReachesTheBestAucOfTwoNormalLaws) {
  const GroupPrediction found = predict(shifted(2000, 2, 3, 1.0, 1));
  const double best = 0.5 * std::erfc(-0.5);
  // The deviation of an AUC of 4,000 rows is 0.008.
  EXPECT_GT(found.auc, best - 0.02);
  EXPECT_LT(found.auc, best + 0.02);
  EXPECT_TRUE(found.beyond_chance());
  EXPECT_LT(found.p_value, 1e-6);
  EXPECT_EQ(found.rows, 4000);
}

// Trees of 200 rows reach 0.6 here: a linear discriminant is what sees a shift of few rows.
TEST(GroupPredictionTest, Truth09SeesAShiftOfFewRows) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) sum += predict(shifted(100, 2, 2, 0.8, seed)).auc;
  // The best possible is 0.714; the deviation of the mean is 0.016.
  EXPECT_GT(sum / 5, 0.67);
}

// Trees see nothing of covariances of many features where rows are few.
TEST(GroupPredictionTest, Truth09SeesACovarianceOfFewRows) {
  Labeled data = shifted(150, 2, 20, 0.0, 21);
  for (Index i = 0; i < data.rows.rows(); ++i) {
    if (data.group_of[i] == 0) continue;
    for (Index j = 1; j < 20; ++j) data.rows(i, j) += 1.2 * data.rows(i, j - 1);
    data.rows.row(i).tail(19) /= std::sqrt(2.44);
  }
  EXPECT_GT(predict(data).auc, 0.85);
}

TEST(GroupPredictionTest, Truth10GivesNoImportanceToNoise) {
  const GroupPrediction found = predict(shifted(500, 2, 8, 0.8, 22));
  EXPECT_GT(found.importance[0], 0.9);
}

// The band in closed form is that of the panel: groups are permuted anew to the same rows.
TEST(GroupPredictionTest, StatesTheDeviationThatPermutedGroupsShow) {
  Labeled data = shifted(60, 2, 4, 0.0, 23);
  double squares = 0, stated = 0;
  constexpr Index kPermutations = 60;
  for (std::uint64_t seed = 0; seed < kPermutations; ++seed) {
    Labeled permuted = data;
    const std::vector<Index> order = Stream(seed, Purpose::kTest, 7).permutation(data.rows.rows());
    for (std::size_t i = 0; i < order.size(); ++i) permuted.group_of[i] = data.group_of[order[i]];
    const GroupPrediction found = predict_groups(SampleRows(permuted.rows), permuted.group_of,
                                                 {.trees = 20, .seed = seed}, Workers(0));
    squares += std::pow(found.auc - 0.5, 2) / kPermutations;
    stated += found.deviation / kPermutations;
  }
  // Sixty permutations leave 9 % of error; the stated band may be wide, it must not be narrow.
  EXPECT_LT(std::sqrt(squares), 1.2 * stated);
  EXPECT_GT(std::sqrt(squares), 0.5 * stated);
}

// No single feature tells anything here: what counts is whether two of them have the same sign.
TEST(GroupPredictionTest, SeesAnInteraction) {
  Labeled data = shifted(1000, 2, 4, 0.0, 2);
  for (Index i = 0; i < data.rows.rows(); ++i) {
    const bool same_sign = data.rows(i, 1) * data.rows(i, 2) > 0;
    data.group_of[i] = same_sign ? 1 : 0;
  }
  const GroupPrediction found = predict(data);
  EXPECT_GT(found.auc, 0.95);
  EXPECT_GT(found.importance[1] + found.importance[2], 0.9);
  EXPECT_NEAR(std::accumulate(found.importance.begin(), found.importance.end(), 0.0), 1, 1e-9);
}

// The stated rate is 5 %; 6 or more of 40 have a chance of 1.4 %.
TEST(GroupPredictionTest, StaysWithinItsChanceBandWhereGroupsAreRandom) {
  Index beyond = 0;
  double squares = 0;
  constexpr Index kPermutations = 40;
  for (std::uint64_t seed = 0; seed < kPermutations; ++seed) {
    const GroupPrediction found = predict(shifted(40, seed % 2 == 0 ? 2 : 4, 5, 0.0, 100 + seed),
                                          {.trees = 20, .seed = seed});
    beyond += found.beyond_chance() ? 1 : 0;
    squares += std::pow((found.auc - 0.5) / found.deviation, 2);
  }
  EXPECT_LT(beyond, 6);
  // The band must not be so wide that it says nothing.
  EXPECT_GT(squares / kPermutations, 0.4);
}

TEST(GroupPredictionTest, CountsFeaturesByTheirRanksOnly) {
  const Labeled data = shifted(150, 3, 4, 0.5, 3);
  Labeled mapped = data;
  mapped.rows.col(0) = data.rows.col(0).array().exp();
  mapped.rows.col(1) = data.rows.col(1).array().cube() * 1e200;
  mapped.rows.col(2) = data.rows.col(2).array() * 1e-3 + 1.0;
  const GroupPrediction before = predict(data), after = predict(mapped);
  EXPECT_EQ(before.auc, after.auc);
  EXPECT_EQ(before.importance, after.importance);
}

TEST(GroupPredictionTest, DoesNotDependOnThreads) {
  const Labeled data = shifted(200, 3, 6, 0.3, 4);
  const GroupPrediction one = predict(data, {}, 1), four = predict(data, {}, 4);
  EXPECT_EQ(one.auc, four.auc);
  EXPECT_EQ(one.deviation, four.deviation);
  EXPECT_EQ(one.per_group, four.per_group);
  EXPECT_EQ(one.importance, four.importance);
}

// Numbers of groups are names: another order of them changes the folds, not what can be told.
TEST(GroupPredictionTest, HardlyChangesWhenGroupsAreNumberedAnew) {
  const Labeled data = shifted(700, 3, 3, 1.0, 5);
  Labeled renumbered = data;
  for (Index& m : renumbered.group_of) m = (m + 1) % 3;
  const GroupPrediction before = predict(data), after = predict(renumbered);
  EXPECT_NEAR(before.auc, after.auc, 0.02);
  for (Index m = 0; m < 3; ++m) {
    EXPECT_NEAR(before.per_group[m], after.per_group[(m + 1) % 3], 0.03);
  }
  // The middle group has neighbors on both sides.
  EXPECT_LT(before.per_group[1], before.per_group[0]);
}

TEST(GroupPredictionTest, TakesValuesThatAreMissing) {
  Labeled data = shifted(300, 2, 3, 0.0, 6);
  for (Index i = 0; i < data.rows.rows(); ++i) {
    if (data.group_of[i] == 0 ? i % 3 != 0 : i % 7 == 0) {
      data.rows(i, 2) = std::numeric_limits<double>::quiet_NaN();
    }
  }
  const GroupPrediction found = predict(data);
  EXPECT_TRUE(found.beyond_chance());
  EXPECT_GT(found.importance[2], found.importance[0]);
}

TEST(GroupPredictionTest, JudgesRowsThatItHasNotLearnedFrom) {
  const Labeled known = shifted(500, 2, 3, 1.0, 7), judged = shifted(400, 2, 3, 1.0, 8);
  const Workers workers(0);
  const GroupPrediction found =
      predict_groups(SampleRows(known.rows), known.group_of, SampleRows(judged.rows),
                     judged.group_of, {}, workers);
  EXPECT_NEAR(found.auc, 0.5 * std::erfc(-0.5), 0.06);
  EXPECT_EQ(found.rows, 800);
}

// Only some of the features are looked at; those that tell must be among them.
TEST(GroupPredictionTest, FindsTheTellingFeatureAmongMany) {
  Labeled data = shifted(100, 2, 600, 0.0, 12);
  for (Index i = 0; i < data.rows.rows(); ++i) {
    if (data.group_of[i] == 0) data.rows(i, 333) *= 6;
  }
  const GroupPrediction found = predict(data, {.trees = 20});
  EXPECT_GT(found.auc, 0.75);
  EXPECT_GT(found.importance[333], 0.3);
}

TEST(GroupPredictionTest, ThinsTheLargestGroups) {
  Labeled data = shifted(300, 2, 2, 1.0, 9);
  for (Index i = 0; i < data.rows.rows(); ++i) data.group_of[i] = i < 50 ? 1 : 0;
  EXPECT_EQ(predict(data, {.max_rows = 150}).rows, 150);
}

TEST(GroupPredictionTest, LeavesOutGroupsThatAreTooSmallToJudge) {
  Labeled data = shifted(100, 2, 2, 1.0, 10);
  data.group_of[0] = 2;
  const GroupPrediction found = predict(data);
  EXPECT_TRUE(std::isnan(found.per_group[2]));
  EXPECT_EQ(found.rows, 199);
  EXPECT_TRUE(found.beyond_chance());
}

TEST(GroupPredictionTest, RefusesWhatCannotBePredicted) {
  Labeled data = shifted(100, 2, 2, 1.0, 11);
  EXPECT_THROW(predict(data, {.folds = 1}), InvalidOption);
  std::fill(data.group_of.begin(), data.group_of.end(), Index{0});
  EXPECT_THROW(predict(data), InvalidData);
  data.group_of.pop_back();
  EXPECT_THROW(predict(data), InvalidData);
}

}  // namespace group_prediction_test
}  // namespace conflux

#include "conflux/comparing/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "conflux/core/error.h"
#include "core/rng.h"

namespace conflux {
namespace check_test {

Matrix normal(Index rows, Index dim, std::uint64_t seed) {
  return Stream(seed, Purpose::kTest).normal_matrix(rows, dim);
}

// Group b is one deviation further along feature 2.
GroupSet shifted() {
  GroupSet groups;
  groups.add("a", normal(300, 5, 1));
  Matrix b = normal(200, 5, 2);
  b.col(2).array() += 1;
  groups.add("b", std::move(b));
  return groups;
}

// Clusters ten deviations apart: 9 of 10 rows of the one group, 1 of 10 of the other.
GroupSet mixed_differently() {
  GroupSet groups;
  for (const Index others : {30, 270}) {
    Matrix rows = normal(300, 5, static_cast<std::uint64_t>(others));
    rows.topRows(others).col(0).array() += 10;
    groups.add(std::to_string(others), std::move(rows));
  }
  return groups;
}

GroupSet with_labels() {
  GroupSet groups = mixed_differently();
  std::vector<std::vector<Index>> labels(2, std::vector<Index>(300, 0));
  std::fill_n(labels[0].begin(), 30, 1);
  std::fill_n(labels[1].begin(), 270, 1);
  groups.set_labels({"near", "far"}, labels);
  return groups;
}

std::vector<Index> named(const CheckReport& report) {
  std::vector<Index> out;
  for (std::size_t j = 0; j < report.features.size(); ++j) {
    if (report.features[j].differs) out.push_back(static_cast<Index>(j));
  }
  return out;
}

// The stated rate is 5 %: 6 of 40 or more have a chance of 1.4 %.
TEST(Check, ClaimsNoDifferenceBetweenRandomGroups) {
  Index claimed = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    GroupSet groups;
    groups.add("a", normal(60, 4, 100 + seed));
    groups.add("b", normal(40, 4, 200 + seed));
    const CheckReport found = check(groups, {.permutations = 19, .seed = seed});
    claimed += found.differ ? 1 : 0;
    EXPECT_EQ(found.differ, found.advice != Advice::kLeave);
    EXPECT_TRUE(found.differ || named(found).empty());
  }
  EXPECT_LT(claimed, 6);
}

TEST(Check, NamesTheFeatureThatIsShiftedAndNoOther) {
  const CheckReport found = check(shifted());
  EXPECT_TRUE(found.differ);
  EXPECT_THAT(named(found), testing::ElementsAre(2));
  EXPECT_NEAR(found.features[2].shift, 1, 0.25);
  EXPECT_LT(found.features[2].shift_by_chance, 0.25);
  EXPECT_NEAR(found.features[2].spread_ratio, 1, 0.2);
  EXPECT_NE(found.advice, Advice::kLeave);
  EXPECT_THAT(found.sentences.front(), testing::StartsWith("The groups differ"));
}

// A heavy tail has a large Wasserstein distance by chance. It must neither be named nor hide the
// feature beside it.
TEST(Check, IsNotMisledByAHeavyTail) {
  GroupSet groups;
  for (const Index m : {0, 1}) {
    Matrix rows = normal(300, 2, 10 + static_cast<std::uint64_t>(m));
    rows.col(0).array() += 0.8 * static_cast<double>(m);
    rows.col(1) = (1.5 * rows.col(1).array()).tan();
    groups.add(std::to_string(m), std::move(rows));
  }
  EXPECT_THAT(named(check(groups)), testing::ElementsAre(0));
}

TEST(Check, NamesAScaleAsWellAsAShift) {
  GroupSet groups;
  groups.add("a", normal(300, 3, 20));
  Matrix b = normal(300, 3, 21);
  b.col(1) *= 2;
  groups.add("b", std::move(b));
  const CheckReport found = check(groups);
  EXPECT_THAT(named(found), testing::ElementsAre(1));
  EXPECT_NEAR(found.features[1].spread_ratio, 2, 0.4);
}

// No feature differs by itself here; a correlation does.
TEST(Check, SeesADifferenceThatNoFeatureShows) {
  GroupSet groups;
  groups.add("a", normal(600, 2, 30));
  Matrix b = normal(600, 2, 31);
  b.col(1) = 0.9 * b.col(0) + std::sqrt(1 - 0.81) * b.col(1);
  groups.add("b", std::move(b));
  const CheckReport found = check(groups);
  EXPECT_TRUE(found.differ);
  EXPECT_TRUE(named(found).empty());
  EXPECT_THAT(found.sentences.front(), testing::HasSubstr("no feature differs by itself"));
}

TEST(Check, AdvisesGatesWhereKindsHaveOtherShares) {
  EXPECT_EQ(check(mixed_differently()).advice, Advice::kGateClusters);
  const CheckReport found = check(with_labels());
  EXPECT_EQ(found.advice, Advice::kGateLabels);
  ASSERT_TRUE(found.labels);
  EXPECT_NEAR(found.labels->difference.value, 0.8, 1e-12);
}

TEST(Check, DoesNotDependOnThreads) {
  const CheckReport one = check(shifted(), {.threads = 1}), two = check(shifted(), {.threads = 2});
  EXPECT_EQ(one.sentences, two.sentences);
  EXPECT_EQ(one.p_value, two.p_value);
  EXPECT_EQ(one.clusters.shares, two.clusters.shares);
}

TEST(Check, FindsValuesThatManyRowsShare) {
  Matrix a = normal(200, 3, 40);
  a.col(1).head(30).setZero();
  GroupSet groups;
  groups.add("a", std::move(a));
  groups.add("b", normal(200, 3, 41));
  EXPECT_THAT(check(groups).features_with_atoms, testing::ElementsAre(1));
}

// Coordinates of feature 2 tell the groups apart; the values that they stand for do not.
TEST(Check, PredictsByValues) {
  const CheckReport by_values =
      check(shifted(), {.value_of = [](Index j, double x) { return j == 2 ? 0 : x; }});
  EXPECT_FALSE(by_values.prediction.beyond_chance());
  EXPECT_EQ(by_values.prediction.importance[2], 0);
  EXPECT_TRUE(check(shifted()).prediction.beyond_chance());
}

TEST(Check, RefusesWhatCannotBeCompared) {
  GroupSet one;
  one.add("a", normal(10, 2, 1));
  EXPECT_THROW(check(one), InvalidData);
  GroupSet tiny;
  tiny.add("a", normal(10, 2, 1));
  tiny.add("b", normal(1, 2, 2));
  EXPECT_THROW(check(tiny), InvalidData);
  EXPECT_THROW(check(shifted(), {.error_rate = 0}), InvalidOption);
}

GroupSet two_groups(Index rows, Index dim, double shift, std::uint64_t seed) {
  GroupSet out;
  for (Index m = 0; m < 2; ++m) {
    Matrix x = normal(rows, dim, 2 * seed + static_cast<std::uint64_t>(m));
    if (m == 1) x.array() += shift;
    out.add(std::to_string(m), std::move(x));
  }
  return out;
}

TEST(CompareGroups, FindsADifferenceOfScale) {
  GroupSet groups;
  groups.add("narrow", normal(300, 3, 1));
  groups.add("wide", Matrix(2 * normal(300, 3, 2)));
  EXPECT_TRUE(compare_groups(groups).differ);
}

TEST(CompareGroups, FindsAShiftThatManyFeaturesShareInFewRows) {
  EXPECT_TRUE(compare_groups(two_groups(30, 50, 1, 1)).differ);
}

// A fit asks compare_groups() and `conflux align` asks check(): they must not disagree.
TEST(CompareGroups, SaysTheSameAsCheck) {
  for (const double shift : {0.0, 0.15, 1.0}) {
    const GroupSet groups = two_groups(100, 3, shift, 5);
    const CheckReport test = compare_groups(groups, {.seed = 3}),
                      whole = check(groups, {.seed = 3});
    EXPECT_EQ(test.differ, whole.differ);
    // Only what is not seen by features is predicted.
    if (!test.differ) {
      EXPECT_EQ(test.p_value, whole.p_value);
      EXPECT_EQ(test.prediction.auc, whole.prediction.auc);
    }
  }
}

TEST(CompareGroups, GroupsOfOneRowAreNoReasonToFail) {
  EXPECT_FALSE(compare_groups(two_groups(1, 2, 0, 1)).differ);
}

}  // namespace check_test
}  // namespace conflux

#include "conflux/judging/diagnosis.h"

#include <gtest/gtest.h>

#include "conflux/core/error.h"
#include "core/rng.h"

namespace conflux {
namespace {

Matrix normal(Index rows, Index dim, std::uint64_t seed) {
  return Stream(seed, Purpose::kTest).normal_matrix(rows, dim);
}

GroupSet alike() {
  GroupSet groups;
  groups.add("a", normal(300, 5, 1));
  groups.add("b", normal(200, 5, 2));
  groups.add("c", normal(100, 5, 3));
  return groups;
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
  std::vector<std::vector<Index>> labels(2, std::vector<Index>(300, 0));
  std::fill_n(labels[0].begin(), 30, 1);
  std::fill_n(labels[1].begin(), 270, 1);
  groups.set_labels({"near", "far"}, labels);
  return groups;
}

TEST(Diagnosis, SeesNoDifferenceWhereThereIsNone) {
  Index significant = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    GroupSet groups;
    groups.add("a", normal(120, 4, 100 + seed));
    groups.add("b", normal(80, 4, 200 + seed));
    const Diagnosis found = diagnose(groups, {.deals = 39, .seed = seed});
    significant += found.difference.p_value <= 0.05 ? 1 : 0;
  }
  // One of twenty is expected; five have a chance of 0.3 %.
  EXPECT_LT(significant, 5);
}

TEST(Diagnosis, FindsTheFeatureThatDiffersAndByHowMuch) {
  const Diagnosis found = diagnose(shifted());
  EXPECT_DOUBLE_EQ(found.difference.p_value, 0.01);
  EXPECT_TRUE(found.difference.beyond_chance());
  EXPECT_NEAR(found.difference.value, 1, 0.2);
  for (Index j = 0; j < 5; ++j) {
    EXPECT_EQ(found.features[j].beyond_chance(), j == 2) << j;
  }
  EXPECT_NEAR(found.features[2].value, 1, 0.2);
  ASSERT_EQ(found.pairs.size(), 1U);
  EXPECT_NEAR(found.pairs[0].distance, found.difference.value, 1e-6);
}

TEST(Diagnosis, FindsGroupsOfDifferentComposition) {
  const Diagnosis found = diagnose(mixed_differently());
  EXPECT_TRUE(found.cells.difference.beyond_chance());
  EXPECT_NEAR(found.cells.difference.value, 0.8, 0.05);
  ASSERT_TRUE(found.labels.has_value());
  EXPECT_NEAR(found.labels->difference.value, 0.8, 1e-12);
  EXPECT_NEAR(found.labels->shares(0, 1), 0.1, 1e-12);
  EXPECT_GT(found.overlap, 0.9);
}

TEST(Diagnosis, SeesWhenGroupsDoNotOverlap) {
  GroupSet groups;
  groups.add("a", normal(300, 5, 1));
  Matrix b = normal(300, 5, 2);
  b.col(0).array() += 30;
  groups.add("b", std::move(b));
  EXPECT_LT(diagnose(groups).overlap, 0.1);
  EXPECT_GT(diagnose(alike()).overlap, 0.99);
}

TEST(Diagnosis, FindsAtoms) {
  GroupSet groups;
  for (const char* name : {"a", "b"}) {
    Matrix rows = normal(200, 3, 5);
    rows.topRows(50).col(1).setZero();
    groups.add(name, std::move(rows));
  }
  EXPECT_EQ(diagnose(groups).features_with_atoms, std::vector<Index>{1});
}

TEST(Diagnosis, DependsOnTheSeedAlone) {
  const GroupSet groups = alike();
  const Diagnosis one = diagnose(groups, {.max_rows = 150, .threads = 1});
  const Diagnosis two = diagnose(groups, {.max_rows = 150, .threads = 2});
  EXPECT_EQ(one.difference.value, two.difference.value);
  EXPECT_EQ(one.difference.by_chance, two.difference.by_chance);
  EXPECT_EQ(one.cells.shares, two.cells.shares);
  EXPECT_EQ(one.rows, (std::vector<Index>{150, 150, 100}));
}

// Units do not matter, nor does a feature that is the same everywhere.
TEST(Diagnosis, IsFreeOfUnits) {
  GroupSet other;
  const GroupSet groups = shifted();
  for (Index m = 0; m < 2; ++m) {
    Matrix rows = groups[m].rows.eigen();
    rows.col(2) *= 1e6;
    rows.col(3).setConstant(7);
    other.add(groups[m].name, std::move(rows));
  }
  const Diagnosis found = diagnose(other);
  EXPECT_NEAR(found.features[2].value, diagnose(groups).features[2].value, 1e-9);
  EXPECT_EQ(found.features[3].value, 0);
}

TEST(Diagnosis, NeedsTwoGroupsWithRows) {
  GroupSet groups;
  groups.add("a", normal(30, 2, 1));
  EXPECT_THROW(diagnose(groups), InvalidData);
  groups.add("b", normal(1, 2, 1));
  EXPECT_THROW(diagnose(groups), InvalidData);
}

}  // namespace
}  // namespace conflux

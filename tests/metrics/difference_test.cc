#include "metrics/difference.h"

#include <gtest/gtest.h>

#include "core/rng.h"

namespace conflux {
namespace difference_test {

const Workers kWorkers(2);
constexpr double kRate = 0.05;

GroupSet two_groups(Index rows, Index dim, double shift, std::uint64_t seed) {
  GroupSet out;
  for (Index m = 0; m < 2; ++m) {
    Stream stream(seed, Purpose::kTest, static_cast<std::uint64_t>(m));
    Matrix x = stream.normal_matrix(rows, dim);
    if (m == 1) x.array() += shift;
    out.add(std::to_string(m), std::move(x));
  }
  return out;
}

TEST(Difference, AShiftThatAllFeaturesShareIsFoundInFewRows) {
  EXPECT_TRUE(find_difference(two_groups(20, 200, 0.5, 1), kRate, 0, kWorkers).found);
}

TEST(Difference, ADifferenceOfScaleIsFound) {
  GroupSet groups;
  groups.add("narrow", Stream(1, Purpose::kTest).normal_matrix(300, 3));
  groups.add("wide", Matrix(2 * Stream(2, Purpose::kTest).normal_matrix(300, 3)));
  EXPECT_TRUE(find_difference(groups, kRate, 0, kWorkers).found);
}

// 100 equal pairs: more than 12 would be found in 1 of 500 runs at the stated rate.
TEST(Difference, IsFoundInEqualGroupsAtTheStatedRateOnly) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    found += find_difference(two_groups(60, 2, 0, 50 + seed), kRate, seed, kWorkers).found;
  }
  EXPECT_LE(found, 12);
}

TEST(Difference, UnitsAndThreadsDoNotMatter) {
  const GroupSet groups = two_groups(80, 3, 0.2, 7);
  GroupSet other;
  for (Index m = 0; m < 2; ++m) {
    Matrix rows = groups[m].rows.doubles().eigen();
    rows.col(1) *= 1e6;
    rows.col(2) = rows.col(2).array().exp();
    other.add(groups[m].name, std::move(rows));
  }
  EXPECT_EQ(find_difference(groups, kRate, 3, Workers(1)).distance_p,
            find_difference(other, kRate, 3, Workers(3)).distance_p);
}

TEST(Difference, GroupsOfOneRowAreNoReasonToFail) {
  EXPECT_FALSE(find_difference(two_groups(1, 2, 0, 1), kRate, 0, kWorkers).found);
}

}  // namespace difference_test
}  // namespace conflux

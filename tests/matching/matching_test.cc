#include "matching/matching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/rng.h"
#include "tests/support/mixtures.h"
#include "tests/support/thread_communicator.h"

namespace conflux {
namespace matching_test {

using ::testing::HasSubstr;

Matching match(const GroupSet& groups, int threads = 1,
               MatchOptions options = {.count_islands = true}) {
  SelfCommunicator self;
  return match_groups(groups, options, self, Workers(threads));
}

// Part of the rows that are of the type which most rows of their cluster have.
double purity(const std::vector<std::vector<Index>>& clusters,
              const std::vector<std::vector<Index>>& types, Index num_clusters) {
  Matrix counts = Matrix::Zero(num_clusters, 10);
  for (std::size_t m = 0; m < clusters.size(); ++m) {
    for (std::size_t i = 0; i < clusters[m].size(); ++i) counts(clusters[m][i], types[m][i]) += 1;
  }
  return counts.rowwise().maxCoeff().sum() / counts.sum();
}

// A matching of all mass would put the pure groups onto each other.
TEST(Matching, PureGroupsMeetOnlyThroughTheMixedOne) {
  const Mixtures data = pure_pure_both(2);
  const Matching found = match(data.groups());
  EXPECT_FALSE(found.linked(0, 1));
  EXPECT_TRUE(found.linked(0, 2));
  EXPECT_TRUE(found.linked(2, 1));
  EXPECT_GE(purity(found.clusters, data.types, found.num_clusters()), 0.999);
  EXPECT_EQ(found.groups[0].islands, 1);
  EXPECT_EQ(found.groups[2].islands, 2);
  EXPECT_THAT(describe(found), ::testing::Contains(HasSubstr("a and b")));
}

// Shifts of half the distance of the types, and unequal shares: pooled clusters are single groups.
TEST(Matching, SeesThroughShiftsBetweenGroups) {
  Mixtures data;
  data.add({400, 150, 80, 80, 80}, 0);
  data.add({80, 80, 150, 240, 240}, 6);
  data.add({160, 160, 240, 240, 0}, -6);
  data.add({12, 12, 12, 12, 12}, 3);
  const Matching found = match(data.groups());
  EXPECT_GE(purity(found.clusters, data.types, found.num_clusters()), 0.98);
}

TEST(Matching, TellsHowFarPartnersAre) {
  Mixtures apart;
  apart.add({500}, 0);
  apart.add({500}, 30);
  const Matching found = match(apart.groups());
  EXPECT_GT(found.groups[0].partner_distance, 2 * found.groups[0].own_distance);
}

TEST(Matching, HasTheSameBitsOnAnyNumberOfThreads) {
  const Mixtures data = pure_pure_both(2);
  const Matching one = match(data.groups(), 1);
  const Matching many = match(data.groups(), 3);
  EXPECT_EQ(one.clusters, many.clusters);
  EXPECT_EQ(one.shares, many.shares);
  EXPECT_EQ(one.groups[1].partner_distance, many.groups[1].partner_distance);
}

// Processes hold rows of all groups, one of them none of a group.
TEST(Matching, FindsTheKindsOnSeveralProcesses) {
  const Mixtures data = pure_pure_both(2);
  std::vector<std::vector<std::vector<Index>>> clusters(3, std::vector<std::vector<Index>>(3));
  std::vector<Matching> found(3);
  run_ranks(3, [&](Communicator& comm) {
    const Index rank = comm.rank();
    const Index cuts[] = {0, 100, 400, 500};
    GroupSet part;
    for (Index m = 0; m < 3; ++m) {
      const Index begin = m == 0 && rank == 0 ? 100 : cuts[rank];
      part.add(std::string(1, static_cast<char>('a' + m)),
               ConstRows(data.rows[m]).middle_rows(begin, cuts[rank + 1] - begin));
    }
    found[rank] = match_groups(part, {}, comm, Workers(1));
  });
  Mixtures seen = data;
  seen.types[0].erase(seen.types[0].begin(), seen.types[0].begin() + 100);
  std::vector<std::vector<Index>> together(3);
  for (Index m = 0; m < 3; ++m) {
    for (const Matching& part : found) {
      together[m].insert(together[m].end(), part.clusters[m].begin(), part.clusters[m].end());
    }
  }
  EXPECT_GE(purity(together, seen.types, found[0].num_clusters()), 0.999);
  EXPECT_EQ(found[0].shares, found[1].shares);
  EXPECT_EQ(found[0].links, found[2].links);
}

TEST(Matching, TakesGroupsOfFewRowsConstantFeaturesAndRowsWithoutMass) {
  Stream stream(6, Purpose::kTest);
  GroupSet groups;
  Matrix rows = stream.normal_matrix(40, 3);
  rows.col(1).setConstant(2);
  std::vector<double> masses(40, 1.0);
  masses[3] = 0;
  groups.add("a", Matrix(rows), std::move(masses));
  groups.add("b", Matrix(rows.topRows(1)));
  groups.add("c", Matrix(Matrix::Constant(5, 3, 2)));
  const Matching found = match(groups);
  EXPECT_EQ(found.clusters[0].size(), 40U);
  EXPECT_NEAR(found.shares.row(0).sum(), 1, 1e-12);
  EXPECT_TRUE(found.shares.allFinite());
  EXPECT_FALSE(describe(found).empty());
}

TEST(Matching, FindsAsManyKindsAsAreAskedFor) {
  const Mixtures data = pure_pure_both(1);
  EXPECT_EQ(match(data.groups(), 1, {.clusters = 2}).num_clusters(), 2);
  EXPECT_EQ(match(data.groups(), 1, {.clusters = 11}).num_clusters(), 11);
}

// The number of clusters follows the separate clusters, beyond what the number of rows alone
// allows.
TEST(Matching, TenTypesHaveClustersOfTheirOwn) {
  Mixtures data;
  data.add({300, 200, 200, 300, 250, 350, 300, 200, 400, 200}, 0);
  data.add({200, 400, 300, 200, 300, 200, 300, 350, 200, 300}, 2);
  const Matching found = match(data.groups(), 1, {});
  EXPECT_GE(found.num_clusters(), 10);
  EXPECT_GE(purity(found.clusters, data.types, found.num_clusters()), 0.99);
}

}  // namespace matching_test
}  // namespace conflux

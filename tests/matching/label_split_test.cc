#include "matching/label_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "matching/matching.h"
#include "tests/support/mixtures.h"
#include "tests/support/thread_communicator.h"

namespace conflux {
namespace label_split_test {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// Rows of two clouds, `apart` deviations from each other, and of which cloud each is.
struct TwoClouds {
  Matrix points;
  std::vector<Index> clouds;

  TwoClouds(Index each, double apart) {
    Stream stream(8, Purpose::kTest);
    points = stream.normal_matrix(2 * each, 5);
    for (Index i = 0; i < points.rows(); ++i) {
      clouds.push_back(i % 2);
      if (i % 2 == 1) points(i, 0) += apart;
    }
  }
  /// Labels of every so many rows, -1 of the others.
  std::vector<Index> labels(Index step) const {
    std::vector<Index> out = clouds;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (static_cast<Index>(i / 2) % step != 0) out[i] = -1;
    }
    return out;
  }
  Clusters split(const std::vector<Index>& labels, Index clusters, Communicator& comm) const {
    const Vector masses = Vector::Ones(points.rows());
    const Clusters found =
        k_means(points, masses, clusters, 1, Stream(1, Purpose::kMatching), comm);
    return split_by_labels({points, masses, labels}, 2, {}, found, comm);
  }
};

// One cluster of both clouds: few labels must be enough to tell it apart, and all rows find theirs.
TEST(SplitByLabels, CutsAClusterWhoseLabelsDisagree) {
  const TwoClouds data(200, 6);
  SelfCommunicator self;
  const std::vector<Index> labels = data.labels(20);
  const Clusters found = data.split(labels, 1, self);
  EXPECT_THAT(found.labels, ElementsAre(0, 1));
  const std::vector<Index> of = nearest_clusters(data.points, labels, found);
  Index right = 0;
  for (std::size_t i = 0; i < of.size(); ++i) right += of[i] == data.clouds[i] ? 1 : 0;
  EXPECT_GE(right, 390);
}

TEST(SplitByLabels, NamesClustersWhoseLabelsAgreeAndTheirPieces) {
  const TwoClouds data(200, 12);
  SelfCommunicator self;
  EXPECT_THAT(data.split(data.labels(20), 2, self).labels, UnorderedElementsAre(0, 1));
  // Some pieces have no labeled row of their own; their neighbors say what they are, or nobody.
  const Clusters pieces = data.split(data.labels(20), 8, self);
  Index named = 0;
  for (Index c = 0; c < pieces.centers.rows(); ++c) {
    if (pieces.labels[c] < 0) continue;
    EXPECT_EQ(pieces.labels[c], pieces.centers(c, 0) > 6 ? 1 : 0) << c;
    ++named;
  }
  EXPECT_GT(named, 4);
}

// Labels that lie everywhere say nothing about rows without one.
TEST(SplitByLabels, LeavesClustersWhoseLabelsCannotBeTold) {
  const TwoClouds data(200, 0);
  SelfCommunicator self;
  const Clusters found = data.split(data.labels(1), 1, self);
  EXPECT_EQ(std::count(found.labels.begin(), found.labels.end(), -1), 1);
}

TEST(SplitByLabels, KeepsRowsWithALabelFromClustersOfAnother) {
  const TwoClouds data(100, 1);
  SelfCommunicator self;
  const std::vector<Index> labels = data.labels(1);
  const Clusters found = data.split(labels, 6, self);
  const std::vector<Index> of = nearest_clusters(data.points, labels, found);
  for (std::size_t i = 0; i < of.size(); ++i) {
    EXPECT_TRUE(found.labels[of[i]] < 0 || found.labels[of[i]] == labels[i]);
  }
}

TEST(SplitByLabels, SaysTheSameOnSeveralProcesses) {
  const TwoClouds data(150, 6);
  const std::vector<Index> labels = data.labels(5);
  const Clusters one{.centers = data.points.colwise().mean(), .masses = Vector::Ones(1)};
  std::vector<Clusters> found(2);
  run_ranks(2, [&](Communicator& comm) {
    const Index begin = comm.rank() == 0 ? 0 : 200, rows = comm.rank() == 0 ? 200 : 100;
    const Matrix points = data.points.middleRows(begin, rows);
    const Vector masses = Vector::Ones(rows);
    const std::vector<Index> own(labels.begin() + begin, labels.begin() + begin + rows);
    found[comm.rank()] = split_by_labels({points, masses, own}, 2, {}, one, comm);
  });
  EXPECT_EQ(found[0].labels, found[1].labels);
  EXPECT_EQ(found[0].centers, found[1].centers);
  SelfCommunicator self;
  const Vector masses = Vector::Ones(data.points.rows());
  const Clusters alone = split_by_labels({data.points, masses, labels}, 2, {}, one, self);
  EXPECT_EQ(alone.labels, found[0].labels);
  EXPECT_TRUE(alone.centers.isApprox(found[0].centers, 1e-12));
}

// Four types in a row, and a second group shifted to where the first has the next: without labels,
// rows are matched with those of another type.
struct Swapped {
  Mixtures data;
  std::vector<std::vector<Index>> known;

  explicit Swapped(Index step) {
    data.add({200, 150, 100, 50}, 0);
    data.add({50, 100, 150, 200}, 0);
    for (std::size_t m = 0; m < 2; ++m) {
      known.push_back(data.types[m]);
      for (Index i = 0; i < data.rows[m].rows(); ++i) {
        const auto type = static_cast<double>(data.types[m][i]);
        data.rows[m](i, data.types[m][i]) -= 7;
        data.rows[m](i, 0) += 10 * (type + static_cast<double>(m));
        if (i % step != 0) known[m][i] = -1;
      }
    }
  }
  GroupSet groups() const {
    GroupSet out = data.groups();
    out.set_labels({"r", "s", "t", "u"}, known);
    return out;
  }
  /// Part of the second group's rows whose cluster mostly holds rows of their type in the first.
  double right(const Matching& found) const {
    Matrix first = Matrix::Zero(found.num_clusters(), 4);
    for (std::size_t i = 0; i < data.types[0].size(); ++i) {
      first(found.clusters[0][i], data.types[0][i]) += 1;
    }
    double right = 0;
    for (std::size_t i = 0; i < data.types[1].size(); ++i) {
      Index most = 0;
      const double rows = first.row(found.clusters[1][i]).maxCoeff(&most);
      right += rows > 0 && most == data.types[1][i] ? 1 : 0;
    }
    return right / static_cast<double>(data.types[1].size());
  }
};

TEST(MatchingByLabels, FewLabelsSetRightWhatAShiftHides) {
  const Swapped swapped(20);
  SelfCommunicator self;
  const GroupSet groups = swapped.groups();
  EXPECT_LT(swapped.right(match_groups(groups, {}, self, Workers(1))), 0.2);
  const Matching found = match_groups(groups, {.by_labels = true}, self, Workers(1));
  EXPECT_GT(swapped.right(found), 0.9);
  EXPECT_THAT(describe(found), ::testing::Contains(::testing::HasSubstr("(u): ")));
  EXPECT_EQ(found.clusters, match_groups(groups, {.by_labels = true}, self, Workers(3)).clusters);
}

// Every price is too high for labels that differ, however near they are.
TEST(MatchingByLabels, GroupsWithoutACommonLabelAreNotMatched) {
  Mixtures data;
  data.add({300}, 0);
  data.add({300}, 1);
  GroupSet groups = data.groups();
  std::vector<std::vector<Index>> known(2, std::vector<Index>(300, -1));
  for (std::size_t i = 0; i < 300; i += 3) {
    known[0][i] = 0;
    known[1][i] = 1;
  }
  groups.set_labels({"r", "s"}, known);
  SelfCommunicator self;
  const Matching found = match_groups(groups, {.by_labels = true}, self, Workers(1));
  EXPECT_TRUE(found.links.empty());
  for (Index cluster = 0; cluster < found.num_clusters(); ++cluster) {
    EXPECT_LT(found.shares.col(cluster).minCoeff(), 0.02) << cluster;
  }
}

TEST(KnownLabels, AreInPartIfAGroupHasThemOfFewerThanHalfOfItsRows) {
  Mixtures data;
  data.add({100}, 0);
  data.add({100}, 1);
  GroupSet groups = data.groups();
  EXPECT_FALSE(known_labels(groups).in_part);
  std::vector<std::vector<Index>> known(2, std::vector<Index>(100, 0));
  groups.set_labels({"r"}, known);
  EXPECT_FALSE(known_labels(groups).in_part);
  for (std::size_t i = 0; i < 60; ++i) known[1][i] = -1;
  groups.set_labels({"r"}, known);
  EXPECT_TRUE(known_labels(groups).in_part);
  EXPECT_DOUBLE_EQ(known_labels(groups).part, 0.7);
}

}  // namespace label_split_test
}  // namespace conflux

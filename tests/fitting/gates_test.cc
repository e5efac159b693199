#include "fitting/gates.h"

#include <gtest/gtest.h>

#include "core/rng.h"

namespace conflux {
namespace gates_test {

constexpr Index kDim = 6;

// Two clusters far apart along feature 0, groups apart along feature 1; `share` of the first
// cluster.
Matrix two_clusters(Index rows, double share, double shift, Stream& stream) {
  Matrix out = 0.5 * stream.normal_matrix(rows, kDim);
  for (Index i = 0; i < rows; ++i) {
    out(i, 0) += static_cast<double>(i) < share * static_cast<double>(rows) ? -10 : 10;
    out(i, 1) += shift;
  }
  return out;
}

class GatesTest : public testing::Test {
 protected:
  void SetUp() override {
    Stream stream(3, Purpose::kTest);
    groups_.add("a", two_clusters(300, 0.2, 0, stream));
    groups_.add("b", two_clusters(300, 0.7, 1, stream));
    chosen_ = all_rows(groups_);
    basis_ = gating_basis(groups_, chosen_, weights_, 3, comm_, Workers(2));
    clusters_.count = 2;
    for (Index m = 0; m < 2; ++m) {
      for (Index i = 0; i < 300; ++i) known(m, i) = groups_[m].rows(i, 0) < 0 ? 0 : 1;
    }
  }

  Index& known(Index m, Index row) {
    clusters_.of.resize(2, std::vector<Index>(300));
    return clusters_.of[m][row];
  }

  Gate fit() {
    Stream stream(4, Purpose::kTest);
    const Frame frame = gating_frame(basis_, settings_, stream);
    return fit_gate(frame, values_along(frame, groups_, Workers(2)), groups_, chosen_, clusters_,
                    settings_, comm_);
  }

  std::vector<Matrix> shares(const Gate& gate, const RowClusters& clusters) {
    return shares_of(gate, values_along(gate.frame(), groups_, Workers(2)), clusters, Workers(2));
  }

  GroupSet groups_;
  RowChoice chosen_;
  std::vector<double> weights_{0.5, 0.5};
  SelfCommunicator comm_;
  Matrix basis_;
  GateSettings settings_{.gating = 2, .min_cluster = 10};
  RowClusters clusters_;
};

TEST_F(GatesTest, TheBasisIsOrthonormalAndSeesWhatVariesWithinGroups) {
  EXPECT_LT((basis_.transpose() * basis_ - Matrix::Identity(3, 3)).norm(), 1e-12);
  EXPECT_GT(std::abs(basis_(0, 0)), 0.999);
}

// Otherwise a gate would tell groups apart instead of clusters.
TEST_F(GatesTest, TheBasisDoesNotSeeShiftsBetweenGroups) {
  GroupSet apart;
  Stream stream(5, Purpose::kTest);
  apart.add("a", two_clusters(300, 0.5, -1000, stream));
  apart.add("b", two_clusters(300, 0.5, 1000, stream));
  const Matrix basis = gating_basis(apart, all_rows(apart), weights_, 1, comm_, Workers(1));
  EXPECT_LT(std::abs(basis(1, 0)), 0.05);
}

// New rows have no cluster; where they lie must tell it, in every group by its own centers.
TEST_F(GatesTest, SharesOfRowsOfUnknownClusterAreThoseOfTheNearestAndSumToOne) {
  const Gate gate = fit();
  ASSERT_EQ(gate.centers().size(), 2u);
  const RowClusters unknown{.count = 2, .of = {2, std::vector<Index>(300, -1)}};
  const std::vector<Matrix> found = shares(gate, unknown);
  for (Index m = 0; m < 2; ++m) {
    EXPECT_LT((found[m].rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
    EXPECT_GE(found[m].minCoeff(), 0);
    for (Index i = 0; i < 300; ++i) EXPECT_GT(found[m](i, known(m, i)), 0.99);
  }
}

TEST_F(GatesTest, LabeledRowsAreInTheClusterOfTheirLabel) {
  known(0, 0) = -1;
  groups_.set_labels({"low", "high"}, clusters_.of);
  const RowClusters clusters = clusters_by_label(groups_);
  EXPECT_EQ(clusters.count, 2);
  EXPECT_EQ(clusters.of, clusters_.of);
  const std::vector<Matrix> found = shares(fit(), clusters);
  for (Index i = 1; i < 300; ++i) EXPECT_EQ(found[0](i, known(0, i)), 1);
  // The row without a label is sorted by where it lies.
  EXPECT_GT(found[0](0, groups_[0].rows(0, 0) < 0 ? 0 : 1), 0.9);
}

// Clusters that were found may have wrong borders: a row of a wrong cluster must count where it
// lies, too.
TEST_F(GatesTest, WhatIsNotCertainIsSharedOutByTheGate) {
  const Gate gate = fit();
  const Index lies = known(0, 0);
  known(0, 0) = 1 - lies;
  clusters_.certainty = 0.25;
  const std::vector<Matrix> found = shares(gate, clusters_);
  EXPECT_NEAR(found[0](0, lies), 0.75, 0.01);
  EXPECT_NEAR(found[0].row(0).sum(), 1, 1e-12);
}

// A cluster that a group lacks must have a place in it all the same: a later row may be of that
// cluster.
TEST_F(GatesTest, AKindThatAGroupLacksIsWhereTheOthersHaveItNextToItsShift) {
  groups_ = GroupSet();
  Stream stream(6, Purpose::kTest);
  groups_.add("a", two_clusters(300, 0.5, 0, stream));
  groups_.add("b", two_clusters(300, 1, 3, stream));
  for (Index i = 0; i < 300; ++i) known(0, i) = i < 150 ? 0 : 1;
  for (Index i = 0; i < 300; ++i) known(1, i) = 0;
  basis_ = Matrix::Identity(kDim, 3);
  const Gate gate = fit();
  const Matrix places = gate.centers()[1] - gate.centers()[0];
  EXPECT_LT((places.row(1) - places.row(0)).norm(), 0.3);
}

// Rows without mass must not pull centers, and a row of mass 2 is as two rows.
TEST_F(GatesTest, CentersAreMeansByMass) {
  const Gate plain = fit();
  GroupSet doubled;
  std::vector<double> masses(301, 2.0);
  masses[300] = 0;
  for (Index m = 0; m < 2; ++m) {
    Matrix rows(301, kDim);
    rows.topRows(300) = groups_[m].rows.to_matrix();
    rows.row(300).setConstant(1e6);
    doubled.add(groups_[m].name, std::move(rows), std::vector<double>(masses));
    clusters_.of[m].push_back(0);
  }
  groups_ = std::move(doubled);
  for (auto& each : chosen_) each.push_back(300);
  const Gate heavy = fit();
  // Twice the mass leaves less doubt, which moves centers by some thousandths of their distance.
  EXPECT_LT((heavy.centers()[0] - plain.centers()[0]).cwiseAbs().maxCoeff(), 0.05);
  EXPECT_NEAR(heavy.scale(), plain.scale(), 1e-3 * plain.scale());
}

TEST_F(GatesTest, ANewGroupGetsCentersOnlyIfGroupsHaveTheirOwn) {
  const Gate own = fit();
  GroupSet added;
  added.add("c", groups_[1].rows);
  // Models of earlier versions have gates with centers for all groups together.
  const Gate common(own.frame(), {own.centers()[0]}, own.scale());
  EXPECT_EQ(with_group(common, added, all_rows(added), Workers(1)).centers().size(), 1u);
  const Gate wider = with_group(own, added, all_rows(added), Workers(1));
  ASSERT_EQ(wider.centers().size(), 3u);
  EXPECT_LT((wider.centers()[2] - own.centers()[1]).norm(), 3);
}

}  // namespace gates_test
}  // namespace conflux

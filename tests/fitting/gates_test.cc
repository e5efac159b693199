#include "fitting/gates.h"

#include <gtest/gtest.h>

#include "core/rng.h"

namespace conflux {
namespace gates_test {

constexpr Index kDim = 6;

// Two kinds far apart along feature 0, groups apart along feature 1; `share` of the first kind.
Matrix two_kinds(Index rows, double share, double shift, Stream& stream) {
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
    groups_.add("a", two_kinds(300, 0.2, 0, stream));
    groups_.add("b", two_kinds(300, 0.7, 1, stream));
    chosen_ = all_rows(groups_);
    basis_ = gating_basis(groups_, chosen_, weights_, 3, comm_, Workers(2));
  }

  Gate fit(const GateSettings& settings) {
    Stream stream(4, Purpose::kTest);
    return fit_gate(groups_, chosen_, basis_, settings, stream, comm_, Workers(2));
  }

  GroupSet groups_;
  RowChoice chosen_;
  std::vector<double> weights_{0.5, 0.5};
  SelfCommunicator comm_;
  Matrix basis_;
  GateSettings settings_{.kinds = 2, .gating = 2, .min_kind = 10};
};

TEST_F(GatesTest, TheBasisIsOrthonormalAndSeesWhatVariesWithinGroups) {
  EXPECT_LT((basis_.transpose() * basis_ - Matrix::Identity(3, 3)).norm(), 1e-12);
  EXPECT_GT(std::abs(basis_(0, 0)), 0.999);
}

// Otherwise a gate would tell groups apart instead of kinds.
TEST_F(GatesTest, TheBasisDoesNotSeeShiftsBetweenGroups) {
  GroupSet apart;
  Stream stream(5, Purpose::kTest);
  apart.add("a", two_kinds(300, 0.5, -1000, stream));
  apart.add("b", two_kinds(300, 0.5, 1000, stream));
  const Matrix basis = gating_basis(apart, all_rows(apart), weights_, 1, comm_, Workers(1));
  EXPECT_LT(std::abs(basis(1, 0)), 0.05);
}

TEST_F(GatesTest, SharesAreThoseOfTheKindsAndSumToOne) {
  const Gate gate = fit(settings_);
  const std::vector<Matrix> shares = shares_of(gate, groups_, chosen_, settings_, Workers(2));
  for (const Matrix& each : shares) {
    EXPECT_LT((each.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
    EXPECT_GE(each.minCoeff(), 0);
  }
  const auto part = [&](Index m, Index kind) { return shares[m].col(kind).mean(); };
  const Index low = part(0, 0) < part(0, 1) ? 0 : 1;
  EXPECT_NEAR(part(0, low), 0.2, 0.02);
  EXPECT_NEAR(part(1, low), 0.7, 0.02);
}

TEST_F(GatesTest, GroupsThatHaveTheSameKindsShareThem) {
  const Gate gate = fit(settings_);
  const std::vector<Matrix> shares = shares_of(gate, groups_, chosen_, settings_, Workers(2));
  EXPECT_GT(shared_mass(shares, weights_, settings_, comm_), 0.99);
  // The first group in one kind, the second in the other.
  const std::vector<Matrix> alone{Matrix::Identity(2, 2).row(0).replicate(50, 1),
                                  Matrix::Identity(2, 2).row(1).replicate(50, 1)};
  EXPECT_EQ(shared_mass(alone, weights_, settings_, comm_), 0);
}

TEST_F(GatesTest, LabelledRowsAreOfTheKindOfTheirLabel) {
  std::vector<std::vector<Index>> labels(2);
  for (Index m = 0; m < 2; ++m) {
    for (Index i = 0; i < 300; ++i) labels[m].push_back(groups_[m].rows(i, 0) < 0 ? 0 : 1);
    labels[m][0] = -1;
  }
  groups_.set_labels({"low", "high"}, labels);
  settings_.from = Gating::kLabel;
  const Gate gate = fit(settings_);
  ASSERT_EQ(gate.centres().size(), 2u);
  EXPECT_EQ(gate.kinds(), 2);
  const std::vector<Matrix> shares = shares_of(gate, groups_, chosen_, settings_, Workers(1));
  for (Index i = 1; i < 300; ++i) EXPECT_EQ(shares[0](i, labels[0][i]), 1);
  // The row without a label is sorted by where it lies.
  EXPECT_GT(shares[0](0, groups_[0].rows(0, 0) < 0 ? 0 : 1), 0.9);
}

TEST_F(GatesTest, ANewGroupGetsCentresOnlyIfGroupsHaveTheirOwn) {
  const Gate common = fit(settings_);
  GroupSet added;
  added.add("c", groups_[1].rows);
  EXPECT_EQ(with_group(common, added, all_rows(added), Workers(1)).centres().size(), 1u);
  const Matrix centres = common.centres().front();
  const Gate own(common.frame(), {centres, centres}, common.scale());
  const Gate wider = with_group(own, added, all_rows(added), Workers(1));
  ASSERT_EQ(wider.centres().size(), 3u);
  EXPECT_LT((wider.centres()[2] - centres).norm(), 3);
}

}  // namespace gates_test
}  // namespace conflux

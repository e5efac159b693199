#include "fitting/moments.h"

#include <gtest/gtest.h>

#include "conflux/toys/toy.h"

namespace conflux {
namespace moments_test {

Moments moments_of(const GroupSet& groups) {
  SelfCommunicator comm;
  return fit_moments(groups, all_rows(groups), comm, Workers(2));
}

TEST(Moments, AreThoseOfTheTextbook) {
  const GroupSet groups = make_gaussian_groups(2, 7, 300, 1);
  const Moments moments = moments_of(groups);
  for (Index m = 0; m < 2; ++m) {
    const Matrix rows = groups[m].rows.to_matrix();
    const Eigen::RowVectorXd mean = rows.colwise().mean();
    const Matrix centered = rows.rowwise() - mean;
    const Matrix covariance = centered.transpose() * centered / 299.0;
    EXPECT_LT((moments.means[m].transpose() - mean).norm(), 1e-13);
    EXPECT_LT((moments.covariances[m] - covariance).norm(), 1e-12);
    EXPECT_NEAR(moments.shrinkage[m], 299.0 / 300, 1e-15);
  }
}

// A mass of 3 is three equal rows, as far as the mean of squares goes.
TEST(Moments, CountRowsByTheirMass) {
  Matrix rows(3, 2);
  rows << 1, 2, 3, -1, 0, 5;
  Matrix repeated(5, 2);
  repeated << rows.row(0), rows.row(0), rows.row(0), rows.row(1), rows.row(2);
  GroupSet weighted, plain;
  weighted.add("a", std::move(rows), {3, 1, 1});
  plain.add("a", std::move(repeated));
  const Moments a = moments_of(weighted), b = moments_of(plain);
  EXPECT_LT((a.means[0] - b.means[0]).norm(), 1e-15);
  const Matrix difference = a.shrinkage[0] * a.covariances[0] - b.shrinkage[0] * b.covariances[0];
  EXPECT_LT(difference.norm(), 1e-14);
}

TEST(Moments, OfOneRowHaveNoSpread) {
  GroupSet groups;
  groups.add("a", Matrix(Matrix::Constant(1, 3, 2.5)));
  EXPECT_EQ(moments_of(groups).covariances[0], Matrix::Zero(3, 3));
  EXPECT_EQ(moments_of(groups).means[0], Vector::Constant(3, 2.5));
}

TEST(Moments, SurviveALargeOffset) {
  GroupSet groups = make_gaussian_groups(1, 3, 200, 4), moved;
  moved.add("a", Matrix(groups[0].rows.to_matrix().array() + 1e6));
  const Matrix near = moments_of(groups).covariances[0], far = moments_of(moved).covariances[0];
  EXPECT_LT((near - far).norm(), 1e-8 * near.norm());
}

}  // namespace moments_test
}  // namespace conflux

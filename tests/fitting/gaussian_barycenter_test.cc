#include "fitting/gaussian_barycenter.h"

#include <gtest/gtest.h>

#include "conflux/toys/toy.h"
#include "kernels/dense.h"

namespace conflux {
namespace gaussian_barycenter_test {

Matrix random_covariance(Index dim, Stream& stream) {
  const Matrix a = stream.normal_matrix(dim, dim + 2);
  return a * a.transpose() / static_cast<double>(dim);
}

Matrix root_of(Matrix symmetric) {
  const Vector values = kernels::symmetric_eigen(symmetric);
  return symmetric.transpose() * values.cwiseSqrt().asDiagonal() * symmetric;
}

Matrix sample_covariance(const Matrix& rows) {
  const Matrix centered = rows.rowwise() - rows.colwise().mean();
  return centered.transpose() * centered / static_cast<double>(rows.rows() - 1);
}

// The equation that defines the barycenter; earlier code got it wrong for more than two groups.
TEST(GaussianBarycenter, SolvesItsFixedPointEquationForAnyNumberOfGroups) {
  const Workers workers(2);
  for (const std::size_t groups : {2u, 3u, 7u}) {
    Stream stream(groups, Purpose::kTest);
    std::vector<Matrix> covariances;
    std::vector<double> weights(groups);
    for (std::size_t m = 0; m < groups; ++m) {
      covariances.push_back(random_covariance(6, stream));
      weights[m] = (1.0 + static_cast<double>(m)) / static_cast<double>(groups * (groups + 1) / 2);
    }
    const Matrix s = barycenter_covariance(covariances, weights, workers);
    Matrix sum = Matrix::Zero(6, 6);
    for (std::size_t m = 0; m < groups; ++m) {
      sum += weights[m] * root_of(root_of(s) * covariances[m] * root_of(s));
    }
    EXPECT_LT((sum - s).norm(), 1e-9 * s.norm()) << groups << " groups";
  }
}

TEST(GaussianBarycenter, OfTwoGroupsIsTheClosedForm) {
  Stream stream(1, Purpose::kTest);
  const Matrix a = random_covariance(5, stream);
  const Matrix b = random_covariance(5, stream);
  const Matrix root = root_of(a);
  const Matrix inverse_root = kernels::inverse(root).value();
  const Matrix mean = 0.5 * (a + root_of(root * b * root));
  const Matrix expected = inverse_root * mean * mean * inverse_root;
  const Matrix s = barycenter_covariance({a, b}, {0.5, 0.5}, Workers(1));
  EXPECT_LT((s - expected).norm(), 1e-10 * expected.norm());
}

TEST(GaussianBarycenter, OfDiagonalCovariancesAveragesDeviations) {
  const Matrix a = Vector::LinSpaced(4, 1, 16).asDiagonal();
  const Matrix b = Vector::LinSpaced(4, 9, 4).asDiagonal();
  const Matrix s = barycenter_covariance({a, b}, {0.25, 0.75}, Workers(1));
  for (Index j = 0; j < 4; ++j) {
    EXPECT_NEAR(std::sqrt(s(j, j)), 0.25 * std::sqrt(a(j, j)) + 0.75 * std::sqrt(b(j, j)), 1e-10);
  }
}

// Covariances of rank one with orthogonal axes: steps go on getting smaller and never reach the
// tolerance. The fit ended with an error once, although any regular matrix serves.
TEST(GaussianBarycenter, EndsWithARegularMatrixIfItDoesNotSettle) {
  std::vector<Matrix> covariances;
  for (Index m = 0; m < 3; ++m) {
    Matrix flat = 1e-9 * Matrix::Identity(3, 3);
    flat(m, m) = 1;
    covariances.push_back(flat);
  }
  const Matrix s = barycenter_covariance(covariances, {1.0 / 3, 1.0 / 3, 1.0 / 3}, Workers(1), 0);
  EXPECT_TRUE(s.allFinite());
  Matrix vectors = s;
  EXPECT_GT(kernels::symmetric_eigen(vectors).minCoeff(), 0);
}

TEST(AffineLayer, GivesEveryGroupTheSameMeanAndCovariance) {
  const GroupSet groups = make_gaussian_groups(4, 7, 300, 3);
  SelfCommunicator comm;
  const Workers workers(2);
  const std::vector<double> weights(4, 0.25);
  const AffineLayer layer = fit_affine_layer(groups, all_rows(groups), weights, 1.0, comm, workers);
  Matrix first = groups[0].rows.eigen();
  layer.forward(0, Rows(first), nullptr);
  for (Index m = 1; m < 4; ++m) {
    Matrix moved = groups[m].rows.eigen();
    layer.forward(m, Rows(moved), nullptr);
    EXPECT_LT((moved.colwise().mean() - first.colwise().mean()).norm(), 1e-9);
    EXPECT_LT((sample_covariance(moved) - sample_covariance(first)).norm(), 1e-8);
  }
}

// One row, and fewer rows than features: covariances are singular, results must stay finite.
TEST(AffineLayer, SurvivesSingularCovariances) {
  GroupSet groups;
  Stream stream(5, Purpose::kTest);
  groups.add("one", stream.normal_matrix(1, 6));
  groups.add("few", stream.normal_matrix(4, 6));
  groups.add("many", stream.normal_matrix(50, 6));
  SelfCommunicator comm;
  const Workers workers(1);
  const AffineLayer layer =
      fit_affine_layer(groups, all_rows(groups), {0.25, 0.25, 0.5}, 1.0, comm, workers);
  for (Index m = 0; m < 3; ++m) {
    const Matrix original = groups[m].rows.eigen();
    Matrix moved = original;
    layer.forward(m, Rows(moved), nullptr);
    EXPECT_TRUE(moved.allFinite());
    layer.inverse(m, Rows(moved), nullptr);
    EXPECT_LT((moved - original).norm(), 1e-6 * original.norm());
  }
}

}  // namespace gaussian_barycenter_test
}  // namespace conflux

#include "kernels/dense.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "core/rng.h"

namespace conflux::kernels {
namespace dense_test {

Matrix normal(Index rows, Index cols, std::uint64_t name) {
  return Stream(21, Purpose::kTest, name).normal_matrix(rows, cols);
}

Matrix unit(Index n) { return Matrix::Identity(n, n); }

double largest(const Matrix& matrix) { return matrix.cwiseAbs().maxCoeff(); }

struct Size {
  Index rows;
  Index cols;
};

// One column, square, nearly square, tall; from 33 columns on LAPACK works in blocks.
const Size kSizes[] = {{1, 1}, {4, 1}, {5, 5}, {30, 29}, {100, 60}, {200, 30}};

TEST(SymmetricEigen, VectorsAreRowsAndValuesIncrease) {
  for (const Index n : {1, 2, 7, 40, 90}) {
    SCOPED_TRACE(n);
    const Matrix a = normal(n, n, 1);
    const Matrix symmetric = a + a.transpose();
    Matrix vectors = symmetric;
    const Vector values = symmetric_eigen(vectors);
    ASSERT_EQ(values.size(), n);
    EXPECT_LT(largest(vectors * vectors.transpose() - unit(n)), 1e-12);
    EXPECT_LT(largest(symmetric * vectors.transpose() - vectors.transpose() * values.asDiagonal()),
              1e-11);
    for (Index i = 1; i < n; ++i) EXPECT_LE(values(i - 1), values(i));
    const Vector alone = symmetric_eigenvalues(symmetric);
    ASSERT_EQ(alone.size(), n);
    EXPECT_LT(largest(alone - values), 1e-11);
  }
}

TEST(OrthonormalBasis, IsTheFactorOfAPositiveTriangle) {
  for (const auto& [rows, cols] : kSizes) {
    SCOPED_TRACE(cols);
    const Matrix a = normal(rows, cols, 2);
    const Matrix q = orthonormal_basis(a);
    ASSERT_EQ(q.rows(), rows);
    ASSERT_EQ(q.cols(), cols);
    EXPECT_LT(largest(q.transpose() * q - unit(cols)), 1e-13);
    // The triangle R = Q^T A with a positive diagonal is unique: it is Cholesky's of A^T A.
    const Matrix r = q.transpose() * a;
    const Matrix gram = a.transpose() * a;
    const Matrix expected = Eigen::LLT<Matrix>(gram).matrixU();
    EXPECT_LT(largest(r - expected), 1e-9) << "another triangle";
    EXPECT_LT(largest(q * r - a), 1e-12);
  }
}

TEST(OrthonormalBasis, KeepsColumnsThatAreOrthonormalAlready) {
  EXPECT_LT(largest(orthonormal_basis(unit(6).leftCols(4)) - unit(6).leftCols(4)), 1e-15);
}

TEST(PivotedQr, PivotsTellTheRank) {
  for (const auto& [rows, cols] : kSizes) {
    for (const Index rank : {Index{1}, (cols + 1) / 2, cols}) {
      SCOPED_TRACE(testing::Message() << rows << " x " << cols << " of rank " << rank);
      const Matrix a = normal(rows, rank, 3) * normal(rank, cols, 4);
      const PivotedQr qr = pivoted_qr(a);
      EXPECT_LT(largest(qr.basis.transpose() * qr.basis - unit(cols)), 1e-13);
      EXPECT_EQ((qr.pivots.array() > 1e-10 * qr.pivots(0)).count(), rank);
      for (Index k = 1; k < cols; ++k) EXPECT_LE(qr.pivots(k), qr.pivots(k - 1) * (1 + 1e-12));
      const Matrix span = qr.basis.leftCols(rank);
      EXPECT_LT(largest(span * (span.transpose() * a) - a), 1e-11);
    }
  }
}

TEST(PivotedQr, OfNothingHasNoPivots) {
  const PivotedQr qr = pivoted_qr(Matrix::Zero(7, 3));
  EXPECT_EQ(largest(qr.pivots), 0);
  EXPECT_LT(largest(qr.basis.transpose() * qr.basis - unit(3)), 1e-15);
}

TEST(Inverse, TimesTheMatrixIsTheIdentity) {
  for (const Index n : {1, 2, 7, 40, 90}) {
    SCOPED_TRACE(n);
    const Matrix a = normal(n, n, 5) + 3 * std::sqrt(static_cast<double>(n)) * unit(n);
    const auto inverted = inverse(a);
    ASSERT_TRUE(inverted);
    EXPECT_LT(largest(*inverted * a - unit(n)), 1e-13);
    EXPECT_EQ(*inverse(unit(n)), unit(n));
  }
  EXPECT_FALSE(inverse(Matrix::Ones(3, 3)));
}

// Rounding hides that the rows depend on each other; the condition shows it.
TEST(Inverse, OfNearlyDependentRowsIsRefusedIfAsked) {
  Matrix a = normal(5, 5, 11);
  a.row(4) = a.row(0) + (1 + 1e-16) * a.row(1) + 1e-17 * a.row(2);
  EXPECT_FALSE(inverse(a, 1e-14));
  a(4, 4) += 1e-3;
  EXPECT_TRUE(inverse(a, 1e-14));
  a(2, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(inverse(a, 1e-14));
}

TEST(PositiveMatrices, AreSolvedAndFactored) {
  for (const Index n : {1, 2, 7, 40}) {
    SCOPED_TRACE(n);
    const Matrix root = normal(n, n, 12);
    const Matrix a = root * root.transpose() + unit(n);
    const Matrix right = normal(n, 3, 13);
    const auto solved = solve_positive(a, right);
    ASSERT_TRUE(solved);
    EXPECT_LT(largest(a * *solved - right), 1e-11);
    const auto factor = cholesky_factor(a);
    ASSERT_TRUE(factor);
    EXPECT_LT(largest(*factor * factor->transpose() - a), 1e-12);
    for (Index i = 0; i < n; ++i) EXPECT_GT((*factor)(i, i), 0);
    for (Index j = 1; j < n; ++j) EXPECT_EQ((*factor)(0, j), 0);
  }
  Matrix flat = unit(3);
  flat(1, 1) = 0;
  EXPECT_FALSE(solve_positive(flat, unit(3)));
  EXPECT_FALSE(cholesky_factor(flat));
}

TEST(ThinSvd, GivesTheMatrixBack) {
  for (const auto& [rows, cols] : kSizes) {
    for (const Matrix& a : {normal(rows, cols, 6), Matrix(normal(cols, rows, 6))}) {
      SCOPED_TRACE(testing::Message() << a.rows() << " x " << a.cols());
      const auto svd = thin_svd(a);
      ASSERT_TRUE(svd);
      const Index least = std::min(rows, cols);
      EXPECT_LT(largest(svd->u.transpose() * svd->u - unit(least)), 1e-13);
      EXPECT_LT(largest(svd->v_transposed * svd->v_transposed.transpose() - unit(least)), 1e-13);
      EXPECT_LT(largest(svd->u * svd->values.asDiagonal() * svd->v_transposed - a), 1e-12);
      for (Index k = 1; k < least; ++k) EXPECT_LE(svd->values(k), svd->values(k - 1));
      EXPECT_GE(svd->values(least - 1), 0);
    }
  }
}

// A = P S with orthonormal columns in P and a positive definite S: there is only one such pair.
TEST(PolarFactor, LeavesAPositiveDefiniteMatrix) {
  for (const auto& [rows, cols] : kSizes) {
    SCOPED_TRACE(cols);
    const Matrix a = normal(rows, cols, 7);
    const auto polar = polar_factor(a, 1e-6);
    ASSERT_TRUE(polar);
    EXPECT_LT(largest(polar->transpose() * *polar - unit(cols)), 1e-13);
    const Matrix rest = polar->transpose() * a;
    EXPECT_LT(largest(rest - rest.transpose()), 1e-12);
    EXPECT_GT(symmetric_eigenvalues(0.5 * (rest + rest.transpose())).minCoeff(), 0);
    EXPECT_LT(largest(*polar * rest - a), 1e-12);
  }
}

TEST(PolarFactor, OfDependentColumnsIsRefused) {
  EXPECT_FALSE(polar_factor(normal(9, 2, 8) * normal(2, 3, 9), 1e-6));
  EXPECT_FALSE(polar_factor(Matrix::Zero(4, 2), 1e-6));
  Matrix broken = normal(5, 2, 10);
  broken(3, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(polar_factor(broken, 1e-6));
  EXPECT_TRUE(polar_factor(1e-200 * normal(5, 2, 10), 1e-6));
}

}  // namespace dense_test
}  // namespace conflux::kernels

// Decompositions of dense matrices, by LAPACK: the only file that knows how they are computed.
//
// OpenBLAS may have threads of its own. Ours call it from several tasks at once, so theirs are
// switched off while a SerialBlas exists: pools never multiply, and results do not depend on the
// number of cores. Every function below holds one.

#pragma once

#include <optional>

#include "conflux/core/matrix.h"

namespace conflux::kernels {

/// Keeps OpenBLAS on the calling thread during its life; may be nested and used on any thread.
class SerialBlas {
 public:
  SerialBlas();
  ~SerialBlas();
  SerialBlas(const SerialBlas&) = delete;
  SerialBlas& operator=(const SerialBlas&) = delete;
};

/// Replaces the symmetric `matrix` by its eigenvectors, one per row, and returns the eigenvalues in
/// increasing order; empty if the iteration fails.
Vector symmetric_eigen(Matrix& matrix);
/// Only the eigenvalues, in increasing order; empty if the iteration fails.
Vector symmetric_eigenvalues(Matrix matrix);

/// An orthonormal basis of the columns, which are linearly independent and at most as many as there
/// are rows: the factor Q of `columns` = Q R, where the diagonal of R is not negative.
Matrix orthonormal_basis(const Matrix& columns);

/// columns P = Q R, where the permutation P takes the column with the longest rest first.
struct PivotedQr {
  /// Q, with as many orthonormal columns as were given.
  Matrix basis;
  /// |R_kk|, in decreasing order: what the k-th chosen column adds to those before it. All zeros
  /// come last.
  Vector pivots;
};
/// For at most as many columns as rows.
PivotedQr pivoted_qr(const Matrix& columns);

/// The inverse of a square matrix; nothing if it is singular, or if its reciprocal condition (by
/// sums of rows) is below `least_condition`.
std::optional<Matrix> inverse(Matrix matrix, double least_condition = 0);

/// X with `matrix` X = `right` for a symmetric positive definite matrix; nothing if it is not.
std::optional<Matrix> solve_positive(Matrix matrix, const Matrix& right);

/// The lower triangle L with `matrix` = L L^T for a symmetric positive definite matrix; nothing if
/// it is not.
std::optional<Matrix> cholesky_factor(Matrix matrix);

/// matrix = U diag(values) V^T.
struct Svd {
  Matrix u;
  /// In decreasing order.
  Vector values;
  Matrix v_transposed;
};
/// For finite matrices; nothing if the iteration fails.
std::optional<Svd> thin_svd(const Matrix& matrix);

/// The matrix with orthonormal columns nearest to `matrix`, which has at most as many columns as
/// rows; nothing if its smallest singular value is not above `least_ratio` times the largest, or if
/// it is not finite.
std::optional<Matrix> polar_factor(const Matrix& matrix, double least_ratio);

}  // namespace conflux::kernels

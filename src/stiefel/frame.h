// K orthonormal directions in R^d, the columns of a d x K matrix.

#pragma once

#include "conflux/core/matrix.h"
#include "core/rng.h"

namespace conflux {

class Frame {
 public:
  /// Columns further from orthonormal than this are repaired by orthonormalized().
  static constexpr double kDriftLimit = 1e-10;

  Frame() = default;
  /// Takes columns that are orthonormal already.
  explicit Frame(Matrix columns);

  /// The orthonormal basis of the span of `columns` nearest in direction: the Q factor of a QR
  /// decomposition with positive diagonal of R. Columns must be linearly independent.
  static Frame orthonormalized(const Matrix& columns);
  /// Uniform among all frames (Haar measure).
  static Frame random(Index dim, Index directions, Stream& stream);

  Index dim() const { return columns_.rows(); }
  Index directions() const { return columns_.cols(); }
  const Matrix& columns() const { return columns_; }

  /// Largest entry of |Q^T Q - I|.
  double drift() const;

 private:
  Matrix columns_;
};

}  // namespace conflux

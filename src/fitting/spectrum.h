// Functions of symmetric positive definite matrices.

#pragma once

#include "conflux/core/matrix.h"

namespace conflux {

/// A symmetric positive definite matrix through its eigenvectors. Cost: one eigenvalue problem, and
/// a product per function.
class Spectrum {
 public:
  /// Throws Error if the iteration fails.
  explicit Spectrum(const Matrix& symmetric);

  Matrix root() const { return with(values_.cwiseSqrt()); }
  Matrix inverse_root() const { return with(values_.cwiseSqrt().cwiseInverse()); }
  Matrix inverse() const { return with(values_.cwiseInverse()); }
  Matrix raised_to(double floor) const { return with(values_.cwiseMax(floor)); }
  double smallest() const { return values_.minCoeff(); }
  double log_det() const { return values_.array().log().sum(); }

 private:
  Matrix with(const Vector& values) const;

  Matrix vectors_;  // one per row
  Vector values_;
};

/// a b a for symmetric a.
Matrix conjugate(const Matrix& a, const Matrix& b);

}  // namespace conflux

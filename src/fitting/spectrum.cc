#include "fitting/spectrum.h"

#include <limits>

#include "conflux/core/error.h"
#include "kernels/dense.h"
#include "kernels/product.h"

namespace conflux {

Spectrum::Spectrum(const Matrix& symmetric)
    : vectors_(0.5 * (symmetric + symmetric.transpose())),
      values_(kernels::symmetric_eigen(vectors_)) {
  if (values_.size() == 0) {
    throw Error("the eigenvalues of a covariance did not converge; rescale the features.");
  }
  // Rounding may push a zero below itself.
  values_ = values_.cwiseMax(std::numeric_limits<double>::epsilon() * values_.maxCoeff());
}

Matrix Spectrum::with(const Vector& values) const {
  return kernels::product(vectors_.transpose() * values.asDiagonal(), vectors_);
}

Matrix conjugate(const Matrix& a, const Matrix& b) {
  return kernels::product(kernels::product(a, b), a);
}

}  // namespace conflux

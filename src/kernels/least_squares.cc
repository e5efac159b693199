#include "kernels/least_squares.h"

#include "kernels/dense.h"

namespace conflux::kernels {

namespace {

// Part of the largest moment below which a direction is rounding.
constexpr double kFlatPart = 1e-11;

}  // namespace

Matrix slopes_of_moments(Matrix xx, const Matrix& xy) {
  const Vector values = symmetric_eigen(xx);
  if (values.size() == 0) return Matrix::Zero(xy.rows(), xy.cols());
  Matrix along = xx * xy;
  for (Index k = 0; k < values.size(); ++k) {
    const bool flat = !(values(k) > kFlatPart * values(values.size() - 1));
    along.row(k) *= flat ? 0 : 1 / values(k);
  }
  return xx.transpose() * along;
}

}  // namespace conflux::kernels

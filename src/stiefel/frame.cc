#include "stiefel/frame.h"

#include <Eigen/QR>

namespace conflux {

Frame::Frame(Matrix columns) : columns_(std::move(columns)) {}

Frame Frame::orthonormalized(const Matrix& columns) {
  const Eigen::HouseholderQR<Matrix> qr(columns);
  Matrix q = qr.householderQ() * Matrix::Identity(columns.rows(), columns.cols());
  for (Index k = 0; k < columns.cols(); ++k) {
    if (qr.matrixQR()(k, k) < 0) q.col(k) = -q.col(k);
  }
  return Frame(std::move(q));
}

Frame Frame::random(Index dim, Index directions, Stream& stream) {
  return orthonormalized(stream.normal_matrix(dim, directions));
}

double Frame::drift() const {
  const Matrix gram = columns_.transpose() * columns_;
  return (gram - Matrix::Identity(directions(), directions())).cwiseAbs().maxCoeff();
}

}  // namespace conflux

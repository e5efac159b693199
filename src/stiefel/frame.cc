#include "stiefel/frame.h"

#include "kernels/dense.h"

namespace conflux {

Frame::Frame(Matrix columns) : columns_(std::move(columns)) {}

Frame Frame::orthonormalized(const Matrix& columns) {
  return Frame(kernels::orthonormal_basis(columns));
}

Frame Frame::random(Index dim, Index directions, Stream& stream) {
  return orthonormalized(stream.normal_matrix(dim, directions));
}

double Frame::drift() const {
  const Matrix gram = columns_.transpose() * columns_;
  return (gram - Matrix::Identity(directions(), directions())).cwiseAbs().maxCoeff();
}

}  // namespace conflux

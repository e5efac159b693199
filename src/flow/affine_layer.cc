#include "flow/affine_layer.h"

#include "kernels/product.h"

namespace conflux {

namespace {

// row = to + (row - from) matrix
void move_rows(Rows rows, const Vector& from, const std::vector<double>& matrix, const Vector& to) {
  const Index width = kernels::padded_width<double>(rows.cols());
  thread_local std::vector<double> moved;
  moved.resize(static_cast<std::size_t>(rows.rows() * width));
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) rows(i, j) -= from(j);
  }
  kernels::project(rows.data(), rows.stride(), rows.rows(), rows.cols(), matrix.data(), width,
                   moved.data());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) rows(i, j) = to(j) + moved[i * width + j];
  }
}

}  // namespace

AffineLayer::AffineLayer(std::vector<Map> maps, Gaussian barycenter)
    : maps_(std::move(maps)), barycenter_(std::move(barycenter)) {
  for (const Map& map : maps_) {
    padded_matrix_.push_back(kernels::padded(map.matrix));
    padded_inverse_.push_back(kernels::padded(map.inverse));
  }
}

void AffineLayer::forward(Index group, Rows rows, double* log_det) const {
  const Map& map = maps_[group];
  move_rows(rows, map.mean, padded_matrix_[group], map.center);
  for (Index i = 0; log_det != nullptr && i < rows.rows(); ++i) log_det[i] += map.log_det;
}

void AffineLayer::inverse(Index group, Rows rows, double* log_det) const {
  const Map& map = maps_[group];
  move_rows(rows, map.center, padded_inverse_[group], map.mean);
  for (Index i = 0; log_det != nullptr && i < rows.rows(); ++i) log_det[i] -= map.log_det;
}

}  // namespace conflux

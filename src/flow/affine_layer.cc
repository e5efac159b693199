#include "flow/affine_layer.h"

#include <optional>
#include <utility>

#include "kernels/dense.h"
#include "kernels/product.h"

namespace conflux {

namespace {

// A matrix of a smaller reciprocal condition has no inverse with a right digit.
constexpr double kLeastCondition = 1e-14;

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

std::shared_ptr<const Layer> AffineLayer::part(double amount) const {
  std::vector<Map> maps = maps_;
  for (Map& map : maps) {
    map.center = map.mean + amount * (map.center - map.mean);
    map.matrix *= amount;
    map.matrix.diagonal().array() += 1 - amount;
    std::optional<Matrix> inverse = kernels::inverse(map.matrix, kLeastCondition);
    if (!inverse) return nullptr;
    map.inverse = std::move(*inverse);
    map.log_det = kernels::pivoted_qr(map.matrix).pivots.array().log().sum();
  }
  return std::make_shared<AffineLayer>(std::move(maps));
}

}  // namespace conflux

#include "flow/location_scale_layer.h"

#include <cmath>
#include <utility>

namespace conflux {

LocationScaleLayer::LocationScaleLayer(std::vector<Map> maps, Standard standard, Matrix slopes)
    : maps_(std::move(maps)), standard_(std::move(standard)), slopes_(std::move(slopes)) {
  for (const Map& map : maps_) log_dets_.push_back(map.scale.array().log().sum());
}

// y = x + (to - from) + (x - from - p)(scale - 1), of which nothing is left where nothing moves.
void LocationScaleLayer::move_given_covariates(const Map& map, Rows rows) const {
  const Index features = map.from.size();
  Vector prediction(features);
  for (Index i = 0; i < rows.rows(); ++i) {
    double* row = rows.row(i);
    prediction.setZero();
    subtract_prediction(slopes_, row + features, prediction);
    for (Index j = 0; j < features; ++j) {
      row[j] +=
          (map.to(j) - map.from(j)) + (row[j] - map.from(j) + prediction(j)) * (map.scale(j) - 1);
    }
  }
}

void LocationScaleLayer::forward(Index group, Rows rows, double* log_det) const {
  const Map& map = maps_[group];
  for (Index i = 0; log_det != nullptr && i < rows.rows(); ++i) log_det[i] += log_dets_[group];
  if (slopes_.size() > 0) return move_given_covariates(map, rows);
  for (Index i = 0; i < rows.rows(); ++i) {
    double* row = rows.row(i);
    for (Index j = 0; j < rows.cols(); ++j) {
      row[j] = map.to(j) + (row[j] - map.from(j)) * map.scale(j);
    }
  }
}

void LocationScaleLayer::inverse(Index group, Rows rows, double* log_det) const {
  const Map& map = maps_[group];
  for (Index i = 0; log_det != nullptr && i < rows.rows(); ++i) log_det[i] -= log_dets_[group];
  if (slopes_.size() > 0) {
    return move_given_covariates({map.to, map.from, map.scale.cwiseInverse()}, rows);
  }
  for (Index i = 0; i < rows.rows(); ++i) {
    double* row = rows.row(i);
    for (Index j = 0; j < rows.cols(); ++j) {
      row[j] = map.from(j) + (row[j] - map.to(j)) / map.scale(j);
    }
  }
}

void subtract_prediction(const Matrix& slopes, const double* covariates,
                         Eigen::Ref<Vector> features) {
  for (Index k = 0; k < slopes.rows(); ++k) {
    if (!std::isnan(covariates[k])) features -= covariates[k] * slopes.row(k).transpose();
  }
}

}  // namespace conflux

#include "flow/location_scale_layer.h"

#include <cmath>
#include <utility>

namespace conflux {

LocationScaleLayer::LocationScaleLayer(std::vector<Map> maps, Standard standard, Matrix slopes,
                                       std::vector<Matrix> own_slopes)
    : maps_(std::move(maps)),
      standard_(std::move(standard)),
      slopes_(std::move(slopes)),
      own_slopes_(std::move(own_slopes)) {
  for (const Map& map : maps_) log_dets_.push_back(map.scale.array().log().sum());
}

// y = x + (to - from) - q + (x - from - p - q)(scale - 1), and back
// x = y + (from - to) + q + (y - to - p)(1 / scale - 1): nothing is left where nothing moves.
void LocationScaleLayer::move_given_covariates(const Map& map, Index group, Way way,
                                               Rows rows) const {
  const Index features = map.from.size();
  Vector prediction(features), own = Vector::Zero(features);
  for (Index i = 0; i < rows.rows(); ++i) {
    double* row = rows.row(i);
    prediction.setZero();
    subtract_prediction(slopes_, row + features, prediction);
    if (!own_slopes_.empty()) {
      own.setZero();
      subtract_prediction(own_slopes_[group], row + features, own);
      if (way == Way::kThere) prediction += own;
    }
    for (Index j = 0; j < features; ++j) {
      row[j] += (map.to(j) - map.from(j)) + (way == Way::kThere ? own(j) : -own(j)) +
                (row[j] - map.from(j) + prediction(j)) * (map.scale(j) - 1);
    }
  }
}

void LocationScaleLayer::forward(Index group, Rows rows, double* log_det) const {
  const Map& map = maps_[group];
  for (Index i = 0; log_det != nullptr && i < rows.rows(); ++i) log_det[i] += log_dets_[group];
  if (slopes_.size() > 0) return move_given_covariates(map, group, Way::kThere, rows);
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
    return move_given_covariates({map.to, map.from, map.scale.cwiseInverse()}, group, Way::kBack,
                                 rows);
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

// A part a of the way is a map of the same form, with slopes q a scale / (1 + a (scale - 1)).
std::shared_ptr<const Layer> LocationScaleLayer::part(double amount) const {
  std::vector<Map> maps = maps_;
  std::vector<Matrix> own_slopes = own_slopes_;
  for (std::size_t m = 0; m < maps.size(); ++m) {
    Map& map = maps[m];
    const Vector scale = 1 + amount * (map.scale.array() - 1);
    if (!own_slopes.empty()) {
      own_slopes[m] *= (amount * map.scale.cwiseQuotient(scale)).asDiagonal();
    }
    map.to = map.from + amount * (map.to - map.from);
    map.scale = scale;
  }
  return std::make_shared<LocationScaleLayer>(std::move(maps), Standard(), slopes_,
                                              std::move(own_slopes));
}

}  // namespace conflux

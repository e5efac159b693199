#include "flow/location_scale_layer.h"

#include <utility>

namespace conflux {

LocationScaleLayer::LocationScaleLayer(std::vector<Map> maps, Standard standard)
    : maps_(std::move(maps)), standard_(std::move(standard)) {
  for (const Map& map : maps_) log_dets_.push_back(map.scale.array().log().sum());
}

void LocationScaleLayer::forward(Index group, Rows rows, double* log_det) const {
  const Map& map = maps_[group];
  for (Index i = 0; i < rows.rows(); ++i) {
    double* row = rows.row(i);
    for (Index j = 0; j < rows.cols(); ++j) {
      row[j] = map.to(j) + (row[j] - map.from(j)) * map.scale(j);
    }
    if (log_det != nullptr) log_det[i] += log_dets_[group];
  }
}

void LocationScaleLayer::inverse(Index group, Rows rows, double* log_det) const {
  const Map& map = maps_[group];
  for (Index i = 0; i < rows.rows(); ++i) {
    double* row = rows.row(i);
    for (Index j = 0; j < rows.cols(); ++j) {
      row[j] = map.from(j) + (row[j] - map.to(j)) / map.scale(j);
    }
    if (log_det != nullptr) log_det[i] -= log_dets_[group];
  }
}

}  // namespace conflux

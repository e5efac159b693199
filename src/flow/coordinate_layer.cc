#include "flow/coordinate_layer.h"

#include <algorithm>

namespace conflux {

namespace {

// Columns are gathered so that a map sees contiguous values.
template <class MoveLine>
void move_columns(Rows rows, MoveLine move_line) {
  thread_local std::vector<double> line;
  line.resize(static_cast<std::size_t>(rows.rows()));
  for (Index j = 0; j < rows.cols(); ++j) {
    for (Index i = 0; i < rows.rows(); ++i) line[i] = rows(i, j);
    move_line(j, std::span<double>(line));
    for (Index i = 0; i < rows.rows(); ++i) rows(i, j) = line[i];
  }
}

}  // namespace

CoordinateLayer::CoordinateLayer(std::vector<std::vector<MonotoneMap>> maps, Matrix barycenters)
    : maps_(std::move(maps)), barycenters_(std::move(barycenters)) {}

bool CoordinateLayer::takes_gaps() const {
  return std::all_of(maps_.begin(), maps_.end(), [](const auto& of_group) {
    return std::all_of(of_group.begin(), of_group.end(), [](const MonotoneMap& map) {
      return std::holds_alternative<PiecewiseLinearMap>(map);
    });
  });
}

void CoordinateLayer::forward(Index group, Rows rows, double* log_det) const {
  move_columns(rows, [&](Index j, std::span<double> line) {
    conflux::forward(maps_[group][j], line, log_det);
  });
}

void CoordinateLayer::inverse(Index group, Rows rows, double* log_det) const {
  move_columns(rows, [&](Index j, std::span<double> line) {
    conflux::inverse(maps_[group][j], line, log_det);
  });
}

std::shared_ptr<const Layer> CoordinateLayer::part(double amount) const {
  return std::make_shared<CoordinateLayer>(parts(maps_, amount));
}

}  // namespace conflux

#include "flow/sliced_layer.h"

#include "kernels/product.h"

namespace conflux {

SlicedLayer::SlicedLayer(Frame frame, std::vector<std::vector<MonotoneMap>> maps,
                         Matrix barycenters)
    : frame_(std::move(frame)),
      maps_(std::move(maps)),
      barycenters_(std::move(barycenters)),
      padded_(kernels::padded(frame_.columns())),
      directions_(frame_.columns().transpose()) {}

// Projects the rows, moves each direction's values, and adds the changes back to the rows.
template <class MoveLine>
void SlicedLayer::move_rows(Rows rows, MoveLine move_line) const {
  const Index count = rows.rows();
  const Index k = frame_.directions();
  const Index width = kernels::padded_width<double>(k);
  thread_local std::vector<double> projections;
  thread_local std::vector<double> line;
  projections.resize(static_cast<std::size_t>(count * width));
  line.resize(static_cast<std::size_t>(count));
  kernels::project(rows.data(), rows.stride(), count, rows.cols(), padded_.data(), width,
                   projections.data());
  for (Index direction = 0; direction < k; ++direction) {
    for (Index i = 0; i < count; ++i) line[i] = projections[i * width + direction];
    move_line(direction, std::span<double>(line));
    for (Index i = 0; i < count; ++i) {
      double& projection = projections[i * width + direction];
      projection = line[i] - projection;
    }
  }
  kernels::expand(rows.data(), rows.stride(), count, rows.cols(), projections.data(), width, k,
                  directions_.data(), directions_.cols());
}

void SlicedLayer::forward(Index group, Rows rows, double* log_det) const {
  move_rows(rows, [&](Index k, std::span<double> line) {
    conflux::forward(maps_[group][k], line, log_det);
  });
}

void SlicedLayer::inverse(Index group, Rows rows, double* log_det) const {
  move_rows(rows, [&](Index k, std::span<double> line) {
    conflux::inverse(maps_[group][k], line, log_det);
  });
}

std::shared_ptr<const Layer> SlicedLayer::part(double amount) const {
  return std::make_shared<SlicedLayer>(frame_, parts(maps_, amount));
}

}  // namespace conflux

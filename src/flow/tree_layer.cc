#include "flow/tree_layer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "univariate/monotone_map.h"

namespace conflux {

namespace {

// Rounding must not carry a point across a cut: it would be sent back by the wrong nodes.
double kept_on_side(double value, double cut, bool below) {
  return below ? std::min(value, std::nextafter(cut, -std::numeric_limits<double>::infinity()))
               : std::max(value, cut);
}

bool is_below(const TreeLayer::Node& node, double value, double cut) {
  return std::isnan(value) ? node.usually_below.value_or(false) : value < cut;
}

}  // namespace

TreeLayer::TreeLayer(Index dim, std::vector<Axis> axes, std::vector<Node> nodes,
                     std::vector<std::vector<PiecewiseLinearMap>> maps, Barycenter barycenter)
    : dim_(dim),
      axes_(std::move(axes)),
      nodes_(std::move(nodes)),
      maps_(std::move(maps)),
      barycenter_(std::move(barycenter)) {
  for (const auto& of_group : maps_) {
    images_.emplace_back();
    for (std::size_t v = 0; v < nodes_.size(); ++v) {
      double cut = nodes_[v].threshold;
      of_group[v].forward({&cut, 1}, nullptr);
      images_.back().push_back(cut);
    }
  }
}

// Reads the axes through their charts, moves each point, and goes back through the charts.
template <class MovePoint>
void TreeLayer::move_rows(Rows rows, double* log_det, MovePoint move_point) const {
  const Index count = rows.rows();
  const auto width = static_cast<Index>(axes_.size());
  thread_local std::vector<double> points;
  thread_local std::vector<double> line;
  points.resize(static_cast<std::size_t>(count * width));
  line.resize(static_cast<std::size_t>(count));
  for (Index a = 0; a < width; ++a) {
    for (Index i = 0; i < count; ++i) line[i] = rows(i, axes_[a].feature);
    axes_[a].chart.forward(line, log_det);
    for (Index i = 0; i < count; ++i) points[i * width + a] = line[i];
  }
  for (Index i = 0; i < count; ++i) {
    move_point(points.data() + i * width, log_det == nullptr ? nullptr : log_det + i);
  }
  for (Index a = 0; a < width; ++a) {
    for (Index i = 0; i < count; ++i) line[i] = points[i * width + a];
    axes_[a].chart.inverse(line, log_det);
    for (Index i = 0; i < count; ++i) rows(i, axes_[a].feature) = line[i];
  }
}

void TreeLayer::forward_point(Index group, double* point, double* log_det) const {
  struct Step {
    std::size_t node;
    bool below;
  };
  thread_local std::vector<Step> path;
  path.clear();
  for (Index v = 0; v != kLeaf;) {
    const Node& node = nodes_[v];
    const bool below = is_below(node, point[node.axis], node.threshold);
    path.push_back({static_cast<std::size_t>(v), below});
    v = below ? node.below : node.above;
  }
  for (auto step = path.rbegin(); step != path.rend(); ++step) {
    double& value = point[nodes_[step->node].axis];
    maps_[group][step->node].forward({&value, 1}, log_det);
    value = kept_on_side(value, images_[group][step->node], step->below);
  }
}

void TreeLayer::inverse_point(Index group, double* point, double* log_det) const {
  for (Index v = 0; v != kLeaf;) {
    const Node& node = nodes_[v];
    double& value = point[node.axis];
    const bool below = is_below(node, value, images_[group][v]);
    maps_[group][v].inverse({&value, 1}, log_det);
    value = kept_on_side(value, node.threshold, below);
    v = below ? node.below : node.above;
  }
}

bool TreeLayer::takes_gaps() const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const Node& node) { return node.usually_below.has_value(); });
}

void TreeLayer::forward(Index group, Rows rows, double* log_det) const {
  if (nodes_.empty()) return;
  move_rows(rows, log_det, [&](double* point, double* sum) { forward_point(group, point, sum); });
}

void TreeLayer::inverse(Index group, Rows rows, double* log_det) const {
  if (nodes_.empty()) return;
  move_rows(rows, log_det, [&](double* point, double* sum) { inverse_point(group, point, sum); });
}

std::shared_ptr<const Layer> TreeLayer::part(double amount) const {
  return std::make_shared<TreeLayer>(dim_, axes_, nodes_, parts(maps_, amount));
}

}  // namespace conflux

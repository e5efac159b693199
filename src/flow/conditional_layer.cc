#include "flow/conditional_layer.h"

#include <algorithm>
#include <utility>

#include "univariate/monotone_map.h"

namespace conflux {

ConditionalLayer::ConditionalLayer(Index dim, Index moved, std::vector<Node> nodes,
                                   std::vector<std::vector<PiecewiseLinearMap>> maps,
                                   std::vector<Barycenter> barycenters)
    : dim_(dim),
      moved_(moved),
      nodes_(std::move(nodes)),
      maps_(std::move(maps)),
      barycenters_(std::move(barycenters)) {}

bool ConditionalLayer::takes_gaps() const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const Node& node) { return node.usually_below.has_value(); });
}

void ConditionalLayer::forward(Index group, Rows rows, double* log_det) const {
  for (Index i = 0; i < rows.rows(); ++i) {
    const Index leaf = leaf_of(nodes_, [&](Index feature) { return rows(i, feature); });
    maps_[group][leaf].forward({&rows(i, moved_), 1}, log_det == nullptr ? nullptr : log_det + i);
  }
}

void ConditionalLayer::inverse(Index group, Rows rows, double* log_det) const {
  for (Index i = 0; i < rows.rows(); ++i) {
    const Index leaf = leaf_of(nodes_, [&](Index feature) { return rows(i, feature); });
    maps_[group][leaf].inverse({&rows(i, moved_), 1}, log_det == nullptr ? nullptr : log_det + i);
  }
}

std::shared_ptr<const Layer> ConditionalLayer::part(double amount) const {
  return std::make_shared<ConditionalLayer>(dim_, moved_, nodes_, parts(maps_, amount),
                                            std::vector<Barycenter>());
}

}  // namespace conflux

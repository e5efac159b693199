// Moves one feature by increasing maps that depend on the others.
//
// A decision tree on the other features sorts every row into a leaf; each group has one map per
// leaf. The tree never looks at the feature that moves, so a row and its image lie in the same
// leaf, and the inverse map is the inverse of the leaf's map: no approximation, nothing to search.
// All groups share the tree.
//
// A row without the feature that a node asks for goes where most rows of the fit went, on its way
// and back.
//
// The map jumps at the cuts between leaves. Along the feature that moves it is continuous.
//
// Cost: O(depth + log knots) per row.

#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "conflux/flow/layer.h"
#include "univariate/piecewise_linear_map.h"

namespace conflux {

class ConditionalLayer final : public Layer {
 public:
  /// Rows with a feature below `threshold` go to `below`, others to `above`. Numbers from 0 name
  /// nodes, later ones than this; negative numbers name leaves: -1 is leaf 0, -2 is leaf 1.
  struct Node {
    Index feature;
    double threshold;
    Index below;
    Index above;
    /// Where rows go whose feature is missing; unknown in old models.
    std::optional<bool> usually_below = {};
  };
  /// Where the groups of a leaf are led to: equal-mass knots of their barycenter, and the fraction
  /// of the way that they go. No knots where nothing moves.
  struct Barycenter {
    std::vector<double> knots = {};
    double reach = 0;
  };
  static constexpr Index leaf_name(Index leaf) { return -1 - leaf; }

  /// maps[m][l] moves feature `moved` of group m in leaf l. Node 0 is the root; without nodes there
  /// is one leaf.
  ConditionalLayer(Index dim, Index moved, std::vector<Node> nodes,
                   std::vector<std::vector<PiecewiseLinearMap>> maps,
                   std::vector<Barycenter> barycenters);

  std::string_view kind() const override { return "conditional"; }
  Index dim() const override { return dim_; }
  Index num_groups() const override { return static_cast<Index>(maps_.size()); }
  bool takes_gaps() const override;
  void forward(Index group, Rows rows, double* log_det) const override;
  void inverse(Index group, Rows rows, double* log_det) const override;
  std::shared_ptr<const Layer> part(double amount) const override;

  Index moved() const { return moved_; }
  Index num_leaves() const { return static_cast<Index>(nodes_.size()) + 1; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<std::vector<PiecewiseLinearMap>>& maps() const { return maps_; }
  const std::vector<Barycenter>& barycenters() const { return barycenters_; }

  /// The leaf of a row, by `value`(feature).
  template <class Value>
  static Index leaf_of(const std::vector<Node>& nodes, Value value) {
    if (nodes.empty()) return 0;
    Index at = 0;
    while (at >= 0) {
      const Node& node = nodes[static_cast<std::size_t>(at)];
      const double at_node = value(node.feature);
      const bool below =
          std::isnan(at_node) ? node.usually_below.value_or(false) : at_node < node.threshold;
      at = below ? node.below : node.above;
    }
    return -1 - at;
  }

 private:
  Index dim_;
  Index moved_;
  std::vector<Node> nodes_;
  std::vector<std::vector<PiecewiseLinearMap>> maps_;
  std::vector<Barycenter> barycenters_;
};

}  // namespace conflux

// Moves points inside the boxes of a decision tree.
//
// A node of the tree cuts its box in two across one axis. The layer first moves points inside the
// two halves (as the nodes below say), then along the axis of the cut, by an increasing map of the
// box's side onto itself: mass crosses the place of the cut, but no point leaves the box. All
// groups share the tree; each has its own map per node. The image of a point is therefore made from
// the deepest node of its path up to the root, and its preimage from the root down, where the image
// of a cut tells the half that a point came from.
//
// Nodes read coordinates through charts, one increasing map per axis and the same for all groups,
// which make the data uniform. The outermost boxes have no end: there, maps continue with slope 1.
//
// A row without the coordinate that a node cuts goes where most rows of the fit went, on its way
// and back.
//
// The map jumps where a cut separates nodes that move differently, so log-determinants hold away
// from the cuts, and a point within rounding of a cut may come back on its other side.
//
// Cost: O(depth) per point, and two chart lookups per axis that the tree uses.

#pragma once

#include <optional>
#include <vector>

#include "conflux/flow/layer.h"
#include "univariate/piecewise_linear_map.h"

namespace conflux {

class TreeLayer final : public Layer {
 public:
  static constexpr Index kLeaf = -1;

  /// A coordinate that some node cuts, and how nodes see it.
  struct Axis {
    Index feature;
    PiecewiseLinearMap chart;
  };

  /// Points with a coordinate below `threshold` go to `below`. Node 0 is the root, and nodes come
  /// after those that lead to them.
  struct Node {
    Index axis;
    double threshold;
    Index below = kLeaf;
    Index above = kLeaf;
    /// Where points go whose coordinate is missing; unknown in old models.
    std::optional<bool> usually_below = {};
  };

  /// Ends of a side of a box.
  struct Side {
    double low;
    double high;
  };

  /// Where the groups are led to along the side that a node cuts: quantiles of the barycenter at
  /// the levels where its slope changes. None if the node moves nothing.
  struct Line {
    std::vector<double> levels;
    std::vector<double> values;
  };

  /// Data from which a group that is added later gets its maps.
  struct Barycenter {
    std::vector<Side> ranges;  // of the axes
    std::vector<Line> lines;   // of the nodes

    bool empty() const { return ranges.empty(); }
  };

  /// maps[m][v] moves group m along the axis of node v. It leaves the ends of the box's side where
  /// they are; the identity needs no knots. `barycenter` may be empty if it is not known.
  TreeLayer(Index dim, std::vector<Axis> axes, std::vector<Node> nodes,
            std::vector<std::vector<PiecewiseLinearMap>> maps, Barycenter barycenter = {});

  std::string_view kind() const override { return "tree"; }
  Index dim() const override { return dim_; }
  Index num_groups() const override { return static_cast<Index>(maps_.size()); }
  bool takes_gaps() const override;
  void forward(Index group, Rows rows, double* log_det) const override;
  void inverse(Index group, Rows rows, double* log_det) const override;
  std::shared_ptr<const Layer> part(double amount) const override;

  const std::vector<Axis>& axes() const { return axes_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<std::vector<PiecewiseLinearMap>>& maps() const { return maps_; }
  const Barycenter& barycenter() const { return barycenter_; }

 private:
  template <class MovePoint>
  void move_rows(Rows rows, double* log_det, MovePoint move_point) const;
  void forward_point(Index group, double* point, double* log_det) const;
  void inverse_point(Index group, double* point, double* log_det) const;

  Index dim_;
  std::vector<Axis> axes_;
  std::vector<Node> nodes_;
  std::vector<std::vector<PiecewiseLinearMap>> maps_;
  Barycenter barycenter_;
  std::vector<std::vector<double>> images_;  // of the thresholds, per group
};

}  // namespace conflux

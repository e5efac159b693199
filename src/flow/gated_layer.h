// Moves points along K directions, within clusters.
//
// A gate looks at h other directions B, orthogonal to the layer's directions theta, and shares
// every point among C clusters: shares r_c >= 0 of sum 1 that depend on B^T x and the group alone.
// Each cluster has its own increasing maps t_c, and
//
//   T(x) = x + theta (sum_c r_c(B^T x) t_c(theta^T x) - theta^T x),
//   log |det J| = sum_k log sum_c r_c t_{c,k}'(theta_k^T x).
//
// The layer does not move what the gate sees, and a mixture of increasing maps increases, so the
// inverse takes the same shares and solves one increasing piecewise linear equation per direction.
// With one cluster it is the ordinary sliced layer.
//
// Cost: the product of a sliced layer with C or h more columns, and one map per cluster in which a
// point has a share, most often one or two.

#pragma once

#include <vector>

#include "conflux/flow/layer.h"
#include "flow/cluster_mixture.h"
#include "stiefel/frame.h"
#include "univariate/piecewise_linear_map.h"

namespace conflux {

/// Memberships of rows in clusters.
///
/// The weight of cluster c is exp((2 u . m_c - |m_c|^2) / scale) for gating coordinates u and
/// centers m_c, which is a softmax of minus squared distances; weights below a thousandth of the
/// largest count nothing, without a jump. Shares are weights divided by their sum.
class Gate {
 public:
  /// `centers` has one matrix for all groups, or one per group; row c is the center of cluster c.
  Gate(Frame frame, std::vector<Matrix> centers, double scale);

  const Frame& frame() const { return frame_; }
  const std::vector<Matrix>& centers() const { return centers_; }
  double scale() const { return scale_; }
  Index clusters() const { return centers_.front().rows(); }

  /// Shares of points of a group with gating coordinates from `at` on, `stride` numbers apart: row
  /// i of `out`, which may have more columns than there are clusters.
  void shares(Index group, const double* at, Index stride, Index count, Matrix& out) const;
  /// Those of one point.
  Vector shares(Index group, const double* at) const;
  /// The same from the products of coordinates with the group's centers.
  void shares_of_products(Index group, const double* products, Index stride, Index count,
                          Matrix& out) const;

 private:
  std::size_t set_of(Index group) const {
    return centers_.size() == 1 ? 0 : static_cast<std::size_t>(group);
  }

  Frame frame_;
  std::vector<Matrix> centers_;
  double scale_;
  std::vector<Vector> squares_;              // |m_c|^2
  std::vector<std::vector<double>> padded_;  // centers side by side
};

class GatedLayer final : public Layer {
 public:
  using Maps = std::vector<std::vector<PiecewiseLinearMap>>;
  using Barycenters = std::vector<std::vector<double>>;

  /// maps[m][c * K + k] moves group m in cluster c along direction k. Entry c * K + k of
  /// `barycenters`, which may be empty, holds equal-mass knots of the barycenter there; none for a
  /// cluster without rows.
  GatedLayer(Frame frame, Gate gate, Maps maps, Barycenters barycenters = {});

  std::string_view kind() const override { return "gated"; }
  Index dim() const override { return frame_.dim(); }
  Index num_groups() const override { return static_cast<Index>(maps_.size()); }
  void forward(Index group, Rows rows, double* log_det) const override;
  void inverse(Index group, Rows rows, double* log_det) const override;
  std::shared_ptr<const Layer> part(double amount) const override;

  const Frame& frame() const { return frame_; }
  const Gate& gate() const { return gate_; }
  const Maps& maps() const { return maps_; }
  const Barycenters& barycenters() const { return barycenters_; }

 private:
  template <class MoveLine>
  void move_rows(Index group, Rows rows, MoveLine move_line) const;
  /// Whether rows are multiplied by the centers of clusters instead of the gate's directions: fewer
  /// products, unless there are many clusters.
  bool sees_centers() const { return gate_.clusters() <= gate_.frame().directions(); }

  Frame frame_;
  Gate gate_;
  Maps maps_;
  Barycenters barycenters_;
  // Factors of the product with rows, padded to whole cache lines: the directions, and beside them
  // the centers of each group, if it has its own, or the gate's directions.
  std::vector<std::vector<double>> padded_;
  Matrix directions_;  // the transpose of frame_
};

}  // namespace conflux

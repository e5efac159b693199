// Moves points along K orthonormal directions; their components orthogonal to these stay.
//
//   T(x) = x + theta (t(theta^T x) - theta^T x),   log |det J| = sum_k log t_k'(theta_k^T x)
//
// All groups share the directions; each has its own K increasing maps t. The projections of the
// image are t(theta^T x), so the inverse is the same formula with the inverse maps.

#pragma once

#include <vector>

#include "conflux/flow/layer.h"
#include "stiefel/frame.h"
#include "univariate/monotone_map.h"

namespace conflux {

class SlicedLayer final : public Layer {
 public:
  /// maps[m][k] moves group m along direction k. Row k of `barycenters` holds equal-mass knots of
  /// the barycenter there; it may be empty, and is for histogram maps, which know theirs.
  SlicedLayer(Frame frame, std::vector<std::vector<MonotoneMap>> maps, Matrix barycenters = {});

  std::string_view kind() const override { return "sliced"; }
  Index dim() const override { return frame_.dim(); }
  Index num_groups() const override { return static_cast<Index>(maps_.size()); }
  void forward(Index group, Rows rows, double* log_det) const override;
  void inverse(Index group, Rows rows, double* log_det) const override;
  std::shared_ptr<const Layer> part(double amount) const override;

  const Frame& frame() const { return frame_; }
  const std::vector<std::vector<MonotoneMap>>& maps() const { return maps_; }
  const Matrix& barycenters() const { return barycenters_; }

 private:
  template <class MoveLine>
  void move_rows(Rows rows, MoveLine move_line) const;

  Frame frame_;
  std::vector<std::vector<MonotoneMap>> maps_;
  Matrix barycenters_;
  std::vector<double> padded_;  // the frame, each row padded to whole cache lines
  Matrix directions_;           // its transpose
};

}  // namespace conflux

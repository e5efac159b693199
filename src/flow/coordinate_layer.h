// Moves every coordinate by an increasing map of its own (the naive barycenter).

#pragma once

#include <vector>

#include "conflux/flow/layer.h"
#include "univariate/monotone_map.h"

namespace conflux {

class CoordinateLayer final : public Layer {
 public:
  /// maps[m][j] moves coordinate j of group m. Row j of `barycenters` holds equal-mass knots of the
  /// barycenter there; it may be empty, and is for histogram maps, which know theirs.
  explicit CoordinateLayer(std::vector<std::vector<MonotoneMap>> maps, Matrix barycenters = {});

  std::string_view kind() const override { return "coordinate"; }
  Index dim() const override { return static_cast<Index>(maps_.front().size()); }
  Index num_groups() const override { return static_cast<Index>(maps_.size()); }
  /// Histogram maps search for the way back, and do not end at NaN.
  bool takes_gaps() const override;
  void forward(Index group, Rows rows, double* log_det) const override;
  void inverse(Index group, Rows rows, double* log_det) const override;
  std::shared_ptr<const Layer> part(double amount) const override;

  const std::vector<std::vector<MonotoneMap>>& maps() const { return maps_; }
  const Matrix& barycenters() const { return barycenters_; }

 private:
  std::vector<std::vector<MonotoneMap>> maps_;
  Matrix barycenters_;
};

}  // namespace conflux

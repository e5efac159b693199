// Moves every feature of a group by y = to + (x - from) scale.
//
// `from` is the location of the group and `to` that of all groups. With covariates, the last
// coordinates of a row, both are those of a row whose covariates are zero: the linear predictor
// p = covariates * slopes is added to both, and what the slopes of the group differ from these,
// q = covariates * own slopes, to `from`; a missing covariate counts as 0. The layer does not move
// what it reads, and a row does not ask anything else but its own feature, so missing
// coordinates stay missing. A map that does nothing keeps every bit.

#pragma once

#include <vector>

#include "conflux/flow/layer.h"

namespace conflux {

class LocationScaleLayer final : public Layer {
 public:
  /// One number per feature each, covariates not included; scales are positive.
  struct Map {
    Vector from;
    Vector to;
    Vector scale;
  };

  /// Common location and scale of all groups; empty if unknown.
  struct Standard {
    Vector location;
    /// Standard deviation within groups; 0 where features are only shifted.
    Vector spread;
  };

  /// `slopes` has one row per covariate and one column per feature, or nothing.
  /// `own_slopes` has such a matrix per group, or nothing: all groups have the same slopes.
  explicit LocationScaleLayer(std::vector<Map> maps, Standard standard = {}, Matrix slopes = {},
                              std::vector<Matrix> own_slopes = {});

  std::string_view kind() const override { return "location-scale"; }
  Index dim() const override { return maps_.front().from.size() + slopes_.rows(); }
  Index num_groups() const override { return static_cast<Index>(maps_.size()); }
  bool takes_gaps() const override { return true; }
  void forward(Index group, Rows rows, double* log_det) const override;
  void inverse(Index group, Rows rows, double* log_det) const override;
  std::shared_ptr<const Layer> part(double amount) const override;

  const std::vector<Map>& maps() const { return maps_; }
  const Standard& standard() const { return standard_; }
  const Matrix& slopes() const { return slopes_; }
  const std::vector<Matrix>& own_slopes() const { return own_slopes_; }

 private:
  enum class Way { kThere, kBack };
  void move_given_covariates(const Map& map, Index group, Way way, Rows rows) const;

  std::vector<Map> maps_;
  std::vector<double> log_dets_;
  Standard standard_;
  Matrix slopes_;
  std::vector<Matrix> own_slopes_;
};

/// Subtracts from the features of a row what its covariates predict. A covariate that is missing
/// counts as 0, which is its mean.
void subtract_prediction(const Matrix& slopes, const double* covariates,
                         Eigen::Ref<Vector> features);

}  // namespace conflux

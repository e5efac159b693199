// Moves each group by y = center + (x - mean) a, rows times a regular matrix a: symmetric and
// positive for the Gaussian barycenter, any other for density destructors.

#pragma once

#include <optional>
#include <vector>

#include "conflux/flow/layer.h"

namespace conflux {

/// Where all groups go at full strength; empty if unknown.
struct CommonGaussian {
  /// Target to which covariances of groups with few rows are shrunk
  /// (fitting/shrunken_barycenter.h).
  struct Shrunken {
    Vector spread;
    Vector units;
    Matrix pooled;
    double degrees;
    double floor;
  };

  Vector mean;
  /// In units of `shrunken`, if that is there.
  Matrix covariance;
  std::optional<Shrunken> shrunken = {};
};

class AffineLayer final : public Layer {
 public:
  struct Map {
    Vector mean;
    Vector center;
    Matrix matrix;
    Matrix inverse;
    double log_det;
  };

  using Gaussian = CommonGaussian;
  using Shrunken = CommonGaussian::Shrunken;

  explicit AffineLayer(std::vector<Map> maps, Gaussian barycenter = {});

  std::string_view kind() const override { return "affine"; }
  Index dim() const override { return maps_.front().mean.size(); }
  Index num_groups() const override { return static_cast<Index>(maps_.size()); }
  void forward(Index group, Rows rows, double* log_det) const override;
  void inverse(Index group, Rows rows, double* log_det) const override;
  std::shared_ptr<const Layer> part(double amount) const override;

  const std::vector<Map>& maps() const { return maps_; }
  const Gaussian& barycenter() const { return barycenter_; }

 private:
  std::vector<Map> maps_;
  Gaussian barycenter_;
  std::vector<std::vector<double>> padded_matrix_;
  std::vector<std::vector<double>> padded_inverse_;
};

}  // namespace conflux

// Moves every feature of a group by y = to + (x - from) scale.
//
// `from` is the location of the group and `to` that of all groups. A row does not ask anything but
// its own feature, so missing coordinates stay missing. Covariates would add the same linear
// predictor of a row to `from` and `to`.

#pragma once

#include <vector>

#include "conflux/flow/layer.h"

namespace conflux {

class LocationScaleLayer final : public Layer {
 public:
  /// One number per feature each; scales are positive.
  struct Map {
    Vector from;
    Vector to;
    Vector scale;
  };

  /// What all groups are led to; empty if unknown.
  struct Standard {
    Vector location;
    /// Standard deviation within groups; 0 where features are only shifted.
    Vector spread;
  };

  explicit LocationScaleLayer(std::vector<Map> maps, Standard standard = {});

  std::string_view kind() const override { return "location-scale"; }
  Index dim() const override { return maps_.front().from.size(); }
  Index num_groups() const override { return static_cast<Index>(maps_.size()); }
  bool takes_gaps() const override { return true; }
  void forward(Index group, Rows rows, double* log_det) const override;
  void inverse(Index group, Rows rows, double* log_det) const override;

  const std::vector<Map>& maps() const { return maps_; }
  const Standard& standard() const { return standard_; }

 private:
  std::vector<Map> maps_;
  std::vector<double> log_dets_;
  Standard standard_;
};

}  // namespace conflux

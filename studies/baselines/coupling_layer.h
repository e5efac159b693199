// Moves each group by affine couplings (baselines/coupling.h), one after the other.
//
// Rows of a group are standardized by its means and deviations, pass the couplings, and end with
// the means and deviations of where they go to. Which features a coupling moves is the same for all
// groups; its network is the group's own. A group whose parameters are all zero stays where it is.
//
// Cost per row: two operations per parameter, forward as well as back.

#pragma once

#include <vector>

#include "baselines/coupling.h"
#include "conflux/flow/layer.h"

namespace conflux {

class CouplingLayer final : public Layer {
 public:
  using Mask = std::vector<bool>;
  struct Standard {
    Vector mean;
    Vector deviation;
  };
  struct Map {
    Standard from;
    Standard to;
    /// Parameters of each coupling's network, without padding.
    std::vector<std::vector<double>> parameters;
  };

  /// Coupling c moves the features of masks[c] by networks with two layers of `hidden` values.
  CouplingLayer(std::vector<Mask> masks, Index hidden, std::vector<Map> maps);

  std::string_view kind() const override { return "coupling"; }
  Index dim() const override { return static_cast<Index>(masks_.front().size()); }
  Index num_groups() const override { return static_cast<Index>(maps_.size()); }
  void forward(Index group, Rows rows, double* log_det) const override;
  void inverse(Index group, Rows rows, double* log_det) const override;

  const std::vector<Mask>& masks() const { return masks_; }
  Index hidden() const { return hidden_; }
  const std::vector<Map>& maps() const { return maps_; }

  /// Mean zero and deviation one: the normal law, and the units of what stays.
  static Standard unit(Index dim);

 private:
  std::vector<Mask> masks_;
  Index hidden_;
  std::vector<Map> maps_;
  std::vector<networks::Coupling<double>> couplings_;
  std::vector<std::vector<std::vector<double>>> padded_;  // parameters by group and coupling
  std::vector<double> log_dets_;                          // of changing the units of each group
};

}  // namespace conflux

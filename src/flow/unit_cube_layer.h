// Between the unit cube and the whole space, coordinate by coordinate, the same for every group.
//
// z = Phi^-1(x) for x in [margin, 1 - margin]; beyond, the function goes on as a straight line with
// the slope it has there. So values at 0 and 1 need no clamping, the map is a bijection of the
// line, and no digits are lost near 1. With a margin of 1e-6, 0 becomes -4.96, and a latent value
// may leave the cube by about 5e-6 for each unit that z lies beyond 4.75.

#pragma once

#include "conflux/flow/layer.h"

namespace conflux {

class UnitCubeLayer final : public Layer {
 public:
  enum class CubeStep { kToNormal, kToCube };

  UnitCubeLayer(Index dim, double margin, CubeStep step);

  std::string_view kind() const override {
    return step_ == CubeStep::kToNormal ? "cube-to-normal" : "normal-to-cube";
  }
  Index dim() const override { return dim_; }
  Index num_groups() const override { return 0; }
  void forward(Index group, Rows rows, double* log_det) const override;
  void inverse(Index group, Rows rows, double* log_det) const override;

  double margin() const { return margin_; }

 private:
  void to_normal(Rows rows, double* log_det) const;
  void to_cube(Rows rows, double* log_det) const;

  Index dim_;
  double margin_;
  CubeStep step_;
  double edge_;       // -Phi^-1(margin)
  double log_slope_;  // of Phi^-1 at the margin
};

}  // namespace conflux

// Subtracts from the features of a row their linear prediction from the covariates, or adds it
// again, the same for every group: y = x -+ covariates * slopes.
//
// Layers between the two move residuals, so that rows with different covariates are comparable as
// far as a linear model goes. The covariates, the last coordinates, do not move. The determinant is
// 1. A missing covariate counts as 0, which is its mean.

#pragma once

#include "conflux/flow/layer.h"

namespace conflux {

class ShearLayer final : public Layer {
 public:
  enum class ShearStep { kTakeOff, kPutBack };

  /// One row per covariate and one column per feature.
  ShearLayer(Matrix slopes, ShearStep step);

  std::string_view kind() const override {
    return step_ == ShearStep::kTakeOff ? "less-covariates" : "plus-covariates";
  }
  Index dim() const override { return slopes_.rows() + slopes_.cols(); }
  Index num_groups() const override { return 0; }
  bool takes_gaps() const override { return true; }
  void forward(Index group, Rows rows, double* log_det) const override;
  void inverse(Index group, Rows rows, double* log_det) const override;

  const Matrix& slopes() const { return slopes_; }

 private:
  void add(double factor, Rows rows) const;

  Matrix slopes_;
  ShearStep step_;
};

}  // namespace conflux

// Adam: steps against a gradient, each parameter scaled by how large its slopes have been lately.

#pragma once

#include <span>
#include <vector>

#include "conflux/core/index.h"

namespace conflux::networks {

class Adam {
 public:
  /// `memory`: how much of the mean of slopes stays from step to step.
  explicit Adam(Index num_parameters, double memory = 0.9);

  /// Moves every parameter by about `rate` at most.
  void step(std::span<float> parameters, std::span<const float> gradient, double rate);

 private:
  std::vector<float> mean_, mean_square_;
  double memory_;
  double steps_ = 0;
};

}  // namespace conflux::networks

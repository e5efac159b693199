// Slopes of a loss against differences.

#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace conflux {

/// `loss` reads `parameters`, of which zeros are padding.
inline void expect_slopes(const std::function<double()>& loss, std::vector<double>& parameters,
                          const std::vector<double>& slopes, double step) {
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (parameters[k] == 0) continue;
    const double kept = parameters[k];
    parameters[k] = kept + step;
    const double above = loss();
    parameters[k] = kept - step;
    const double below = loss();
    parameters[k] = kept;
    EXPECT_NEAR(slopes[k], (above - below) / (2 * step), 1e-7) << "parameter " << k;
  }
}

}  // namespace conflux

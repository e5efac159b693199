#include "baselines/adam.h"

#include <gtest/gtest.h>

#include <cmath>

namespace conflux::networks {
namespace adam_test {

// The first step has the length of the rate whatever the slope: that is what the corrections of the
// first steps are for.
TEST(Adam, StepsByTheRateAtFirst) {
  std::vector<float> parameters{1, 1, 1};
  Adam adam(3);
  adam.step(parameters, std::vector<float>{1e-3F, -50, 0}, 0.1);
  EXPECT_NEAR(parameters[0], 0.9, 1e-5);
  EXPECT_NEAR(parameters[1], 1.1, 1e-5);
  EXPECT_EQ(parameters[2], 1);
}

// The published algorithm, in double precision and one number at a time.
TEST(Adam, IsThePublishedOne) {
  std::vector<float> parameters{0.5};
  Adam adam(1);
  double mean = 0, square = 0, reference = 0.5;
  for (int t = 1; t <= 50; ++t) {
    const double slope = std::sin(t) + 0.2;
    adam.step(parameters, std::vector<float>{static_cast<float>(slope)}, 0.01);
    mean = 0.9 * mean + 0.1 * slope;
    square = 0.999 * square + 0.001 * slope * slope;
    reference -= 0.01 * (mean / (1 - std::pow(0.9, t))) /
                 (std::sqrt(square / (1 - std::pow(0.999, t))) + 1e-8);
    EXPECT_NEAR(parameters[0], reference, 1e-4) << "step " << t;
  }
}

}  // namespace adam_test
}  // namespace conflux::networks

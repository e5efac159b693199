#include "flow/unit_cube_layer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "tests/support/layer_laws.h"

namespace conflux {
namespace unit_cube_layer_test {

using Step = UnitCubeLayer::CubeStep;

double forward(const UnitCubeLayer& layer, double x) {
  layer.forward(0, Rows(&x, 1, 1), nullptr);
  return x;
}

double inverse(const UnitCubeLayer& layer, double x) {
  layer.inverse(0, Rows(&x, 1, 1), nullptr);
  return x;
}

TEST(UnitCubeLayer, ObeysTheLawsOfLayersBothWays) {
  for (const double margin : {1e-6, 1e-3, 0.1}) {
    for (const Index dim : {1, 3, 20}) {
      SCOPED_TRACE(margin);
      check_layer_laws(UnitCubeLayer(dim, margin, Step::kToNormal), 2, Stream(40, Purpose::kTest),
                       {.low = 0, .high = 1});
      check_layer_laws(UnitCubeLayer(dim, margin, Step::kToCube), 2, Stream(41, Purpose::kTest),
                       {.low = -4, .high = 4});
    }
  }
}

TEST(UnitCubeLayer, TheTwoWaysUndoEachOther) {
  const UnitCubeLayer in(1, 1e-6, Step::kToNormal), out(1, 1e-6, Step::kToCube);
  for (const double x : {-1.0, 0.0, 1e-9, 1e-6, 0.3, 0.5, 1 - 1e-6, 1.0, 2.0}) {
    EXPECT_NEAR(forward(out, forward(in, x)), x, 1e-15 * (1 + std::abs(x)));
    EXPECT_EQ(forward(in, x), inverse(out, x));
    EXPECT_EQ(forward(out, x), inverse(in, x));
  }
}

// Figures of the header for a margin of 1e-6.
TEST(UnitCubeLayer, KnowsTheFiguresOfItsHeader) {
  const UnitCubeLayer layer(1, 1e-6, Step::kToNormal);
  EXPECT_NEAR(forward(layer, 0), -4.96, 0.005);
  EXPECT_NEAR(forward(layer, 1), 4.96, 0.005);
  EXPECT_NEAR(forward(layer, 1e-6), -4.7534, 1e-4);
  EXPECT_NEAR(inverse(layer, 6.7534), 1 - 1e-6 + 2 * 4.95e-6, 2e-7);
  EXPECT_EQ(forward(layer, 0.5), 0);
}

// Phi^-1 from its inverse, where erfc keeps all digits.
TEST(UnitCubeLayer, IsTheQuantileOfTheNormalLawInside) {
  const UnitCubeLayer layer(1, 1e-6, Step::kToNormal);
  for (const double z : {-4.7, -3.0, -1.0, -0.1, 0.0, 0.1, 1.0, 3.0, 4.7}) {
    const double x = 0.5 * std::erfc(-z / std::numbers::sqrt2);
    // Near 1 the distance to 1 has lost its last digits before the layer sees it.
    const double density = std::exp(-0.5 * z * z) * 0.39894228;
    EXPECT_NEAR(forward(layer, x), z, 1e-14 + 2e-16 / density);
  }
}

// A map that jumps or turns at the margin would tear values apart that were neighbors.
TEST(UnitCubeLayer, IncreasesSmoothlyAcrossTheMargins) {
  for (const double margin : {1e-6, 1e-3}) {
    const UnitCubeLayer layer(1, margin, Step::kToNormal);
    for (const double edge : {margin, 1 - margin}) {
      const double h = 1e-4 * margin;
      const double slope_below = (forward(layer, edge) - forward(layer, edge - h)) / h;
      const double slope_above = (forward(layer, edge + h) - forward(layer, edge)) / h;
      // The curvature of Phi^-1 there is about slope / margin; near 1 h has rounded to 6 digits.
      EXPECT_NEAR(slope_below / slope_above, 1, 1e-3);
      std::vector<double> images;
      for (Index i = -50; i <= 50; ++i) {
        images.push_back(forward(layer, edge + static_cast<double>(i) * 0.02 * margin));
      }
      EXPECT_TRUE(std::is_sorted(images.begin(), images.end(), std::less_equal<>()));
    }
  }
}

// Images of digits have zeros and ones; infinity would end the fit.
TEST(UnitCubeLayer, SwallowsZerosOnesAndTheSmallestNumbers) {
  const UnitCubeLayer layer(1, 1e-6, Step::kToNormal);
  for (const double x : {0.0, -0.0, std::numeric_limits<double>::denorm_min(), 1.0,
                         std::nextafter(1.0, 0.0), std::nextafter(1.0, 2.0)}) {
    EXPECT_TRUE(std::isfinite(forward(layer, x)));
    EXPECT_NEAR(inverse(layer, forward(layer, x)), x, 1e-15);
  }
}

}  // namespace unit_cube_layer_test
}  // namespace conflux

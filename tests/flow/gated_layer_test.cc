#include "flow/gated_layer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "tests/support/layer_laws.h"
#include "tests/support/random_layers.h"
#include "tests/support/single_points.h"

namespace conflux {
namespace gated_layer_test {

struct Case {
  const char* name;
  Index groups;
  Index dim;
  Index directions;
  Index gating;
  Index clusters;
  bool own_centers;
};

class GatedLayerTest : public testing::TestWithParam<Case> {
 protected:
  const Case& c = GetParam();
  Stream stream{41, Purpose::kTest};
  GatedLayer layer = random_gated_layer(Bumps::kTwoNarrowBumps, c.groups, c.dim, c.directions,
                                        c.gating, c.clusters, c.own_centers, stream);
};
INSTANTIATE_TEST_SUITE_P(Cases, GatedLayerTest,
                         testing::Values(Case{"OneCluster", 2, 5, 2, 1, 1, false},
                                         Case{"TwoClustersOfThePlane", 2, 2, 1, 1, 2, false},
                                         Case{"ThreeClusters", 3, 5, 2, 2, 3, false},
                                         Case{"OwnCenters", 3, 5, 2, 2, 3, true},
                                         Case{"AllDimensions", 2, 5, 2, 3, 8, false},
                                         Case{"ManyClusters", 2, 6, 2, 3, 20, true},
                                         Case{"High", 2, 50, 9, 10, 8, false}),
                         [](const auto& instance) { return instance.param.name; });

TEST_P(GatedLayerTest, ObeysTheLawsOfLayers) {
  check_layer_laws(layer, c.groups, Stream(42, Purpose::kTest));
}

TEST_P(GatedLayerTest, IsTheFormulaOfItsHeader) {
  Matrix x = 2 * stream.normal_matrix(30, c.dim);
  const Matrix before = x;
  std::vector<double> log_det(30, 0.0);
  layer.forward(1, Rows(x), log_det.data());
  for (Index i = 0; i < 30; ++i) {
    const Vector row = before.row(i);
    const Vector seen = layer.gate().frame().columns().transpose() * row;
    const Vector shares = layer.gate().shares(1, seen.data());
    Vector expected = row;
    double expected_log_det = 0;
    for (Index k = 0; k < c.directions; ++k) {
      const Vector theta = layer.frame().columns().col(k);
      const double at = theta.dot(row);
      double image = 0;
      double slope = 0;
      for (Index cluster = 0; cluster < c.clusters; ++cluster) {
        const PiecewiseLinearMap& map = layer.maps()[1][cluster * c.directions + k];
        image += shares[cluster] * conflux::image(map, at);
        slope += shares[cluster] * std::exp(log_slope(map, at));
      }
      expected += (image - at) * theta;
      expected_log_det += std::log(slope);
    }
    EXPECT_LT((x.row(i).transpose() - expected).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_NEAR(log_det[i], expected_log_det, 1e-9);
  }
}

// The inverse finds the shares of the image, so they must be those of the point.
TEST_P(GatedLayerTest, TheGateSeesNothingMove) {
  const Matrix x = 2 * stream.normal_matrix(50, c.dim);
  Matrix y = x;
  layer.forward(0, Rows(y), nullptr);
  EXPECT_LT(((y - x) * layer.gate().frame().columns()).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(GatedLayer, WithOneClusterIsTheSlicedLayer) {
  Stream stream(43, Purpose::kTest);
  const GatedLayer gated = random_gated_layer(Bumps::kTwoNarrowBumps, 2, 6, 3, 2, 1, false, stream);
  std::vector<std::vector<MonotoneMap>> maps;
  for (const auto& of_group : gated.maps()) maps.emplace_back(of_group.begin(), of_group.end());
  const SlicedLayer sliced(gated.frame(), maps);
  const Matrix x = stream.normal_matrix(40, 6);
  for (const Index group : {0, 1}) {
    Matrix a = x;
    Matrix b = x;
    gated.forward(group, Rows(a), nullptr);
    sliced.forward(group, Rows(b), nullptr);
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-13);
  }
}

// Hand computation: centers 0 and 2, scale 2, point at 0.5: weights exp(0) and exp(-1), both
// lowered by a thousandth.
TEST(Gate, SharesAreASoftmaxWithoutItsTail) {
  const Gate gate(Frame(Matrix::Identity(1, 1)), {Matrix{{0.0}, {2.0}}}, 2.0);
  const double at = 0.5;
  Vector shares = gate.shares(0, &at);
  const double first = 1 - 1e-3;
  const double second = std::exp(-1) - 1e-3;
  EXPECT_NEAR(shares[0], first / (first + second), 1e-15);
  EXPECT_NEAR(shares[1], second / (first + second), 1e-15);
  const double far = -50;
  shares = gate.shares(0, &far);
  EXPECT_EQ(shares[0], 1);
  EXPECT_EQ(shares[1], 0);
}

RC_GTEST_PROP(Gate, SharesSumToOneAndAreContinuous, ()) {
  const auto seed = *rc::gen::inRange(0, 1000);
  Stream stream(static_cast<std::uint64_t>(seed), Purpose::kTest);
  const Gate gate(Frame(Matrix::Identity(3, 3)), {3 * stream.normal_matrix(5, 3)},
                  0.1 + stream.uniform());
  const Matrix at = 3 * stream.normal_matrix(1, 3);
  const Matrix near = at + 1e-9 * stream.normal_matrix(1, 3);
  const Vector a = gate.shares(0, at.data());
  const Vector b = gate.shares(0, near.data());
  double sum = 0;
  for (int c = 0; c < 5; ++c) {
    sum += a[c];
    RC_ASSERT(a[c] >= 0);
    // Slopes are at most about the distance of two centers over the scale.
    RC_ASSERT(std::abs(a[c] - b[c]) < 1e-6);
  }
  RC_ASSERT(std::abs(sum - 1) < 1e-14);
}

}  // namespace gated_layer_test
}  // namespace conflux

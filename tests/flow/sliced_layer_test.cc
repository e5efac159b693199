#include "flow/sliced_layer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "tests/support/layer_laws.h"
#include "tests/support/random_layers.h"

namespace conflux {
namespace sliced_layer_test {

struct Case {
  const char* name;
  MapKind kind;
  Index groups;
  Index dim;
  Index directions;
};

// Histogram maps are tested without gaps: where they are 1e7 times steeper than on average, the
// image of a double has 9 digits, and forward cannot undo inverse to more.
Bumps bumps_for(MapKind kind) {
  return kind == MapKind::kHistogram ? Bumps::kOneWideBump : Bumps::kTwoNarrowBumps;
}

class SlicedLayerTest : public testing::TestWithParam<Case> {
 protected:
  const Case& c = GetParam();
  Stream stream{31, Purpose::kTest};
  SlicedLayer layer =
      random_sliced_layer(c.kind, bumps_for(c.kind), c.groups, c.dim, c.directions, stream);
};
INSTANTIATE_TEST_SUITE_P(Cases, SlicedLayerTest,
                         testing::Values(Case{"QuantileLine", MapKind::kQuantile, 2, 1, 1},
                                         Case{"QuantileOneOfFive", MapKind::kQuantile, 2, 5, 1},
                                         Case{"QuantileThreeOfFive", MapKind::kQuantile, 3, 5, 3},
                                         Case{"QuantileAllOfFive", MapKind::kQuantile, 3, 5, 5},
                                         Case{"QuantileNineOfFifty", MapKind::kQuantile, 2, 50, 9},
                                         Case{"HistogramLine", MapKind::kHistogram, 2, 1, 1},
                                         Case{"HistogramThreeOfFive", MapKind::kHistogram, 3, 5, 3},
                                         Case{"HistogramAllOfFive", MapKind::kHistogram, 2, 5, 5},
                                         Case{"SplineLine", MapKind::kSpline, 2, 1, 1},
                                         Case{"SplineThreeOfFive", MapKind::kSpline, 3, 5, 3},
                                         Case{"SplineAllOfFive", MapKind::kSpline, 2, 5, 5}),
                         [](const auto& instance) { return instance.param.name; });

TEST_P(SlicedLayerTest, ObeysTheLawsOfLayers) {
  check_layer_laws(layer, c.groups, Stream(32, Purpose::kTest));
}

// T(x) = x + theta (t(theta^T x) - theta^T x), one number at a time.
TEST_P(SlicedLayerTest, IsTheFormulaOfItsHeader) {
  Matrix x = stream.normal_matrix(20, c.dim);
  const Matrix before = x;
  std::vector<double> log_det(20, 0.0);
  layer.forward(1, Rows(x), log_det.data());
  for (Index i = 0; i < 20; ++i) {
    Vector expected = before.row(i);
    double expected_log_det = 0;
    for (Index k = 0; k < c.directions; ++k) {
      const auto theta = layer.frame().columns().col(k);
      double moved = theta.dot(before.row(i).transpose());
      const double projection = moved;
      forward(layer.maps()[1][k], std::span(&moved, 1), &expected_log_det);
      expected += (moved - projection) * theta;
    }
    EXPECT_LT((x.row(i).transpose() - expected).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_NEAR(log_det[i], expected_log_det, 1e-9);
  }
}

// Components that no direction sees must not move, or hundreds of layers would erase them.
TEST_P(SlicedLayerTest, ComponentsOrthogonalToTheFrameStay) {
  const Matrix x = 3 * stream.normal_matrix(50, c.dim);
  Matrix y = x;
  layer.forward(0, Rows(y), nullptr);
  const Matrix& q = layer.frame().columns();
  const Matrix moved = y - x;
  const Matrix rest = moved - (moved * q) * q.transpose();
  for (Index i = 0; i < x.rows(); ++i) {
    EXPECT_LT(rest.row(i).norm(), 1e-14 * (x.row(i).norm() + y.row(i).norm()));
  }
}

TEST_P(SlicedLayerTest, ProjectionsOfTheImageAreTheImagesOfTheProjections) {
  const Matrix x = stream.normal_matrix(50, c.dim);
  Matrix y = x;
  layer.forward(0, Rows(y), nullptr);
  Matrix expected = x * layer.frame().columns();
  for (Index k = 0; k < c.directions; ++k) {
    for (Index i = 0; i < x.rows(); ++i) {
      forward(layer.maps()[0][k], std::span(&expected(i, k), 1), nullptr);
    }
  }
  EXPECT_LT((y * layer.frame().columns() - expected).cwiseAbs().maxCoeff(), 1e-12);
}

// A steep segment of the map is a flat one of its inverse, and loses nothing in this order.
TEST(SlicedLayer, InverseUndoesForwardOfHistogramMapsWithGaps) {
  Stream stream(56, Purpose::kTest);
  const SlicedLayer layer =
      random_sliced_layer(MapKind::kHistogram, Bumps::kTwoNarrowBumps, 3, 5, 4, stream);
  const Matrix x = layer_laws::points_inside_and_far_outside({}, 5, stream);
  for (Index group = 0; group < 3; ++group) {
    layer_laws::expect_round_trip(layer, layer_laws::Pass::kForward, group, x, {});
  }
}

TEST(SlicedLayer, WithIdentityMapsMovesNothing) {
  Stream stream(33, Purpose::kTest);
  const std::vector<MonotoneMap> identities(3, PiecewiseLinearMap());
  const SlicedLayer layer(Frame::random(6, 3, stream), {identities, identities});
  const Matrix x = stream.normal_matrix(10, 6);
  Matrix y = x;
  std::vector<double> log_det(10, 0.0);
  layer.forward(1, Rows(y), log_det.data());
  layer.inverse(0, Rows(y), log_det.data());
  EXPECT_EQ(y, x);
  EXPECT_EQ(log_det, std::vector<double>(10, 0.0));
}

RC_GTEST_PROP(SlicedLayerProperty, InverseUndoesForwardForAnySize, ()) {
  const auto dim = *rc::gen::inRange<Index>(1, 40);
  const auto directions = *rc::gen::inRange<Index>(1, dim + 1);
  const auto rows = *rc::gen::inRange<Index>(0, 40);
  Stream stream(*rc::gen::arbitrary<std::uint32_t>(), Purpose::kTest);
  const SlicedLayer layer =
      random_sliced_layer(MapKind::kQuantile, Bumps::kTwoNarrowBumps, 2, dim, directions, stream);
  const Matrix x = 3 * stream.normal_matrix(rows, dim);
  Matrix y = x;
  layer.forward(1, Rows(y), nullptr);
  layer.inverse(1, Rows(y), nullptr);
  // Maps may be a thousand times steeper than on average, on the way there or back.
  RC_ASSERT((y - x).norm() < 1e-11 * static_cast<double>(rows * dim + 1));
}

}  // namespace sliced_layer_test
}  // namespace conflux

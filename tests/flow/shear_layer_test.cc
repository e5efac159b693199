#include "flow/shear_layer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/rng.h"
#include "tests/support/layer_laws.h"

namespace conflux {
namespace shear_layer_test {

using Step = ShearLayer::ShearStep;

TEST(ShearLayer, KeepsTheLawsOfLayers) {
  Stream stream(4, Purpose::kTest);
  for (const Step step : {Step::kTakeOff, Step::kPutBack}) {
    check_layer_laws(ShearLayer(stream.normal_matrix(2, 3), step), 2, Stream(41, Purpose::kTest));
  }
}

TEST(ShearLayer, LeavesNothingOfAFeatureThatCovariatesTell) {
  Stream stream(5, Purpose::kTest);
  const Matrix slopes = stream.normal_matrix(2, 3), covariates = stream.normal_matrix(40, 2);
  Matrix rows(40, 5);
  rows << covariates * slopes, covariates;
  ShearLayer(slopes, Step::kTakeOff).forward(0, Rows(rows), nullptr);
  EXPECT_LT(rows.leftCols(3).norm(), 1e-12);
  EXPECT_EQ(rows.rightCols(2), covariates);
}

}  // namespace shear_layer_test
}  // namespace conflux

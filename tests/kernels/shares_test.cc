#include "kernels/shares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/rng.h"
#include "kernels/product.h"

namespace conflux::kernels {
namespace shares_test {

class SoftSharesTest : public testing::TestWithParam<Index> {};
INSTANTIATE_TEST_SUITE_P(Clusters, SoftSharesTest, testing::Values(1, 2, 3, 4, 7, 8, 9, 20, 61));

TEST_P(SoftSharesTest, AreWeightsAboveTheLeastDividedByTheirSum) {
  const Index clusters = GetParam(), rows = 37, stride = clusters + 3;
  const double scale = 0.7, least = 1e-3;
  Stream stream(81, Purpose::kTest);
  Matrix products = 3 * stream.normal_matrix(rows, stride);
  products.row(5) *= 1e6;  // exponents beyond what has an exponential
  const Vector squares = stream.normal_matrix(clusters, 1).cwiseAbs();
  const Index width = padded_width<double>(clusters);
  Matrix out = Matrix::Constant(rows, width, -1);
  soft_shares(products.data(), stride, rows, squares.data(), clusters, scale, least, out.data(),
              width);
  for (Index i = 0; i < rows; ++i) {
    const Vector exponents = (2 * products.row(i).head(clusters).transpose() - squares) / scale;
    Vector weights = (exponents.array() - exponents.maxCoeff()).exp() - least;
    weights = weights.cwiseMax(0.0);
    weights /= weights.sum();
    for (Index c = 0; c < clusters; ++c) {
      EXPECT_NEAR(out(i, c), weights(c), 1e-12) << i << " " << c;
      EXPECT_EQ(out(i, c) == 0, weights(c) == 0);
    }
    Matrix alone(1, width);
    soft_shares(products.row(i).data(), stride, 1, squares.data(), clusters, scale, least,
                alone.data(), width);
    EXPECT_EQ(alone.row(0).head(clusters), out.row(i).head(clusters));
  }
}

}  // namespace shares_test
}  // namespace conflux::kernels

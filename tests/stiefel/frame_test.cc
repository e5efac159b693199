#include "stiefel/frame.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "tests/support/orthonormal.h"

namespace conflux {
namespace frame_test {

struct Size {
  Index dim;
  Index directions;
};

class FrameTest : public testing::TestWithParam<Size> {};
INSTANTIATE_TEST_SUITE_P(Sizes, FrameTest,
                         testing::Values(Size{1, 1}, Size{2, 1}, Size{2, 2}, Size{7, 7},
                                         Size{50, 7}, Size{784, 30}),
                         [](const auto& instance) {
                           return std::to_string(instance.param.directions) + "Of" +
                                  std::to_string(instance.param.dim);
                         });

// Householder's reflections err by a few roundings per column, whatever the dimension.
TEST_P(FrameTest, RandomFramesAreOrthonormal) {
  Stream stream(1, Purpose::kTest);
  const auto [dim, directions] = GetParam();
  const Frame frame = Frame::random(dim, directions, stream);
  EXPECT_EQ(frame.dim(), dim);
  EXPECT_EQ(frame.directions(), directions);
  expect_orthonormal(frame, 1e-14);
}

// Q^T A is upper triangular with a positive diagonal, and Q Q^T A = A: each column points where the
// given one did, as far as those before it allow.
TEST_P(FrameTest, OrthonormalizedKeepsSpanOrderAndOrientation) {
  Stream stream(2, Purpose::kTest);
  for (const double scale : {1.0, 1e-100, 1e100}) {
    const Matrix a = scale * stream.normal_matrix(GetParam().dim, GetParam().directions);
    const Frame frame = Frame::orthonormalized(a);
    expect_orthonormal(frame, 1e-14);
    const Matrix r = frame.columns().transpose() * a;
    const double size = a.cwiseAbs().maxCoeff();
    EXPECT_LT((frame.columns() * r - a).cwiseAbs().maxCoeff(), 1e-13 * size);
    for (Index i = 0; i < r.rows(); ++i) {
      EXPECT_GT(r(i, i), 0) << i;
      for (Index j = 0; j < i; ++j) EXPECT_NEAR(r(i, j), 0, 1e-13 * size * 30) << i << "," << j;
    }
  }
}

TEST_P(FrameTest, OrthonormalColumnsStayAsTheyAre) {
  Stream stream(3, Purpose::kTest);
  const Frame frame = Frame::random(GetParam().dim, GetParam().directions, stream);
  const Frame again = Frame::orthonormalized(frame.columns());
  EXPECT_LT((again.columns() - frame.columns()).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Frame, SameStreamGivesTheSameFrame) {
  Stream a(4, Purpose::kTest), b(4, Purpose::kTest);
  EXPECT_EQ(Frame::random(20, 5, a).columns(), Frame::random(20, 5, b).columns());
}

// Under Haar measure every entry has the moments of a coordinate of a uniform point of the sphere:
// 0, 1/d, 0, 3 / (d (d + 2)), and different entries are uncorrelated. 20000 frames of 3 directions
// in R^5; each tolerance is 5 standard errors of the worst entry.
TEST(Frame, RandomFramesHaveTheMomentsOfHaarMeasure) {
  Stream stream(5, Purpose::kTest);
  const Index n = 20000, dim = 5, directions = 3;
  Matrix mean = Matrix::Zero(dim, directions);
  Matrix square = mean, cube = mean, fourth = mean, across = mean, down = mean;
  for (Index i = 0; i < n; ++i) {
    const Matrix q = Frame::random(dim, directions, stream).columns();
    mean += q / n;
    square += q.array().square().matrix() / n;
    cube += q.array().cube().matrix() / n;
    fourth += q.array().square().square().matrix() / n;
    across += (q.array() * q.rowwise().reverse().colwise().reverse().array()).matrix() / n;
    down += (q.array() * q.colwise().reverse().array()).matrix() / n;
  }
  EXPECT_LT(mean.cwiseAbs().maxCoeff(), 5 * 0.0032);
  EXPECT_LT((square.array() - 0.2).abs().maxCoeff(), 5 * 0.0016);
  EXPECT_LT(cube.cwiseAbs().maxCoeff(), 5 * 0.0015);
  EXPECT_LT((fourth.array() - 3.0 / 35).abs().maxCoeff(), 5 * 0.0011);
  // The middle entries of these are squares.
  across(2, 1) = 0;
  down.row(2).setZero();
  EXPECT_LT(across.cwiseAbs().maxCoeff(), 5 * 0.0014);
  EXPECT_LT(down.cwiseAbs().maxCoeff(), 5 * 0.0014);
}

// Householder's Q alone always has determinant (-1)^d; only with the signs of R are both halves of
// the orthogonal group hit. 2000 coins: 5 standard errors are 112.
TEST(Frame, HalfOfTheSquareFramesAreReflections) {
  Stream stream(6, Purpose::kTest);
  for (const Index dim : {1, 2, 3, 4}) {
    Index reflections = 0;
    for (Index i = 0; i < 2000; ++i) {
      if (Frame::random(dim, dim, stream).columns().determinant() < 0) ++reflections;
    }
    EXPECT_NEAR(static_cast<double>(reflections), 1000, 112) << dim;
  }
}

TEST(Frame, DriftIsTheLargestDefectOfTheGramMatrix) {
  EXPECT_EQ(Frame(Matrix::Identity(4, 2)).drift(), 0);
  Matrix longer = Matrix::Identity(4, 2);
  longer(1, 1) = 1.5;
  EXPECT_EQ(Frame(longer).drift(), 1.25);
  Matrix oblique = Matrix::Identity(4, 2);
  oblique(0, 1) = -1e-3;
  EXPECT_EQ(Frame(oblique).drift(), 1e-3);
}

// Nearly dependent columns: the span is badly determined, orthonormality must not be.
RC_GTEST_PROP(FrameProperty, OrthonormalizedIsOrthonormalHoweverDependentTheColumns, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto dim = *rc::gen::inRange<Index>(2, 40);
  const auto directions = *rc::gen::inRange<Index>(1, dim + 1);
  const auto digits = *rc::gen::inRange(0, 15);
  Stream stream(seed, Purpose::kTest);
  Matrix a = stream.normal_matrix(dim, directions);
  for (Index k = 1; k < directions; ++k) a.col(k) = a.col(0) + std::pow(0.1, digits) * a.col(k);
  RC_ASSERT(Frame::orthonormalized(a).drift() < 1e-14);
}

}  // namespace frame_test
}  // namespace conflux

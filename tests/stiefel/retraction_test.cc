#include "stiefel/retraction.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/dense.h"
#include "tests/support/orthonormal.h"

namespace conflux {
namespace retraction_test {

struct Size {
  Index dim;
  Index directions;
};

// Slow reference: the d x d form of the curve.
Matrix cayley_of_the_whole_space(const Frame& frame, const Matrix& g, double t) {
  const Matrix& x = frame.columns();
  const Matrix w = g * x.transpose() - x * g.transpose();
  const Matrix unit = Matrix::Identity(x.rows(), x.rows());
  return kernels::inverse(unit - 0.5 * t * w).value() * (x + 0.5 * t * (w * x));
}

Matrix skew_of(const Frame& frame, const Matrix& g) {
  return g * frame.columns().transpose() - frame.columns() * g.transpose();
}

double largest(const Matrix& m) { return m.cwiseAbs().maxCoeff(); }

class RetractionTest : public testing::TestWithParam<std::tuple<Size, Beside>> {
 protected:
  RetractionTest() : frame(Frame::random(dim, k, stream)), g(stream.normal_matrix(dim, k)) {}

  Matrix cayley_at(const Frame& from, const Matrix& along, double t) const {
    const Direction direction(from, along, columns);
    return CayleyCurve(direction).at(t).apply(from, direction.basis).columns();
  }

  // From steps that change only the last digits to half a turn and beyond.
  std::vector<double> lengths() const {
    std::vector<double> out;
    for (const double angle : {1e-12, 1e-6, 1e-2, 0.5, 3.0, 1e2}) {
      out.push_back(angle / g.norm());
      out.push_back(-angle / g.norm());
    }
    return out;
  }

  const Index dim = std::get<Size>(GetParam()).dim;
  const Index k = std::get<Size>(GetParam()).directions;
  const Beside columns = std::get<Beside>(GetParam());
  Stream stream{7, Purpose::kTest};
  Frame frame;
  Matrix g;
};
// 2K < d, where the low-rank form saves work; 2K >= d and K = d, where U and V are dependent.
INSTANTIATE_TEST_SUITE_P(Sizes, RetractionTest,
                         testing::Combine(testing::Values(Size{1, 1}, Size{2, 1}, Size{2, 2},
                                                          Size{5, 2}, Size{5, 3}, Size{5, 5},
                                                          Size{30, 4}, Size{30, 29}, Size{100, 60},
                                                          Size{200, 30}),
                                          testing::Values(Beside::kUnit, Beside::kOrthonormal)),
                         [](const auto& instance) {
                           const Size size = std::get<Size>(instance.param);
                           const bool unit = std::get<Beside>(instance.param) == Beside::kUnit;
                           return std::to_string(size.directions) + "Of" +
                                  std::to_string(size.dim) + (unit ? "Unit" : "Orthonormal");
                         });

TEST_P(RetractionTest, DirectionHoldsTheCoordinatesOfTheMatrix) {
  const Direction direction(frame, g, columns);
  const Matrix& q = direction.basis;
  const Matrix rest = q * direction.beside;
  EXPECT_LT(largest(frame.columns() * direction.along + rest - g), 1e-13);
  EXPECT_LT(largest(rest.transpose() * rest - direction.gram), 1e-13 * g.squaredNorm());
  if (columns == Beside::kOrthonormal) {
    expect_orthonormal(Frame(q), 1e-13);
  } else {
    EXPECT_LT((q.colwise().norm().array() - 1).abs().maxCoeff(), dim == 1 ? 1.1 : 1e-13);
  }
  // Columns beyond the room beside X stand for nothing.
  const Matrix overlap = (frame.columns().transpose() * q) * direction.beside;
  EXPECT_LT(largest(overlap), 1e-13);
}

TEST_P(RetractionTest, LowRankCurveEqualsTheCurveOfTheWholeSpace) {
  for (const double t : lengths()) {
    EXPECT_LT(largest(cayley_at(frame, g, t) - cayley_of_the_whole_space(frame, g, t)), 1e-12)
        << "t ||G|| = " << t * g.norm();
  }
}

// Without help of apply(), which repairs larger defects: trials are valued before that.
TEST_P(RetractionTest, CurveStaysOnTheManifold) {
  const Direction direction(frame, g, columns);
  for (const double t : lengths()) {
    SCOPED_TRACE(t * g.norm());
    const SpanStep step = CayleyCurve(direction).at(t);
    expect_orthonormal(Frame(frame.columns() * step.a + direction.basis * step.b), 1e-13);
  }
}

TEST_P(RetractionTest, CurveStartsAtTheFrame) {
  const SpanStep step = CayleyCurve(Direction(frame, g, columns)).at(0);
  EXPECT_EQ(step.a, Matrix::Identity(k, k));
  EXPECT_EQ(largest(step.b), 0);
}

// W X is the tangent part of G; a central difference with h = 1e-5 errs by h^2.
TEST_P(RetractionTest, CurveLeavesAlongTheTangentPart) {
  const double h = 1e-5 / g.norm();
  const Matrix velocity = (cayley_at(frame, g, h) - cayley_at(frame, g, -h)) / (2 * h);
  const Matrix expected = skew_of(frame, g) * frame.columns();
  EXPECT_LT(largest(velocity - expected), 1e-9 * g.norm());
}

TEST_P(RetractionTest, SlopeIsHalfTheSquaredNormOfTheSkewMatrix) {
  EXPECT_NEAR(CayleyCurve(Direction(frame, g, columns)).slope(),
              0.5 * skew_of(frame, g).squaredNorm(), 1e-13 * g.squaredNorm());
}

// f(X) = tr(X^T A X N) + <C, X> has the gradient A X N + A^T X N^T + C.
TEST_P(RetractionTest, SlopeIsTheDerivativeOfAFunctionWithThisGradient) {
  const Matrix a = stream.normal_matrix(dim, dim) / std::sqrt(static_cast<double>(dim));
  const Matrix n = stream.normal_matrix(k, k);
  const Matrix c = stream.normal_matrix(dim, k);
  const auto value = [&](const Matrix& x) {
    return (x.transpose() * a * x * n).trace() + (c.transpose() * x).trace();
  };
  const Matrix& x = frame.columns();
  const Matrix gradient = a * x * n + a.transpose() * x * n.transpose() + c;
  const double h = 1e-5 / gradient.norm();
  const double difference =
      (value(cayley_at(frame, gradient, h)) - value(cayley_at(frame, gradient, -h))) / (2 * h);
  // One direction of the line has nowhere to go: both are 0.
  EXPECT_NEAR(CayleyCurve(Direction(frame, gradient, columns)).slope(), difference,
              1e-7 * gradient.squaredNorm());
}

// The search ends when a step cannot move any entry further than its tolerance.
TEST_P(RetractionTest, SpeedBoundsHowFarTheCurveGoes) {
  const CayleyCurve curve(Direction(frame, g, columns));
  EXPECT_NEAR(curve.speed(), (skew_of(frame, g) * frame.columns()).norm(), 1e-13 * g.norm());
  for (const double t : lengths()) {
    const Matrix moved = cayley_at(frame, g, t) - frame.columns();
    EXPECT_LE(largest(moved), std::abs(t) * curve.speed() + 1e-13);
  }
}

// Where G = X S with symmetric S, a function has a stationary point. G^T G - S S, the usual slope,
// would leave 1e-16 there, and a first step of half a radian as if it were 1e8 times longer.
TEST_P(RetractionTest, CurveOfAStationaryPointStaysThere) {
  const Matrix m = stream.normal_matrix(k, k);
  const Matrix stationary = frame.columns() * (m + m.transpose());
  const CayleyCurve curve(Direction(frame, stationary, columns));
  EXPECT_LT(curve.slope(), 1e-26 * stationary.squaredNorm());
  EXPECT_TRUE(curve.stationary());
  EXPECT_EQ(CayleyCurve(Direction(frame, g, columns)).stationary(), dim == 1);
  for (const double angle : {1.0, 1e6}) {
    const Matrix y = cayley_at(frame, stationary, angle / stationary.norm());
    EXPECT_LT(largest(y - frame.columns()), 1e-13 * angle);
  }
}

// Groups measured in other units give gradients of other sizes; the curve must not care.
TEST_P(RetractionTest, CurveDependsOnTheProductOfLengthAndGradientOnly) {
  for (const double unit : {1e-60, 1e-30, 1e30, 1e60}) {
    for (const double angle : {1e-3, 1.0, 10.0}) {
      const double t = angle / g.norm();
      EXPECT_LT(largest(cayley_at(frame, unit * g, t / unit) - cayley_at(frame, g, t)), 1e-12)
          << unit << ", angle " << angle;
    }
  }
}

TEST_P(RetractionTest, FrameStaysOrthonormalAfterAThousandSteps) {
  Frame walker = frame;
  for (Index i = 0; i < 1000; ++i) {
    const Matrix direction = stream.normal_matrix(dim, k);
    walker = Frame(cayley_at(walker, direction, 1 / direction.norm()));
  }
  // Repaired at 1e-10; unrepaired rounding of a thousand steps stays far below.
  expect_orthonormal(walker, 1e-11);
}

// Nearly dependent columns cost digits of the factor in proportion to the condition (that is how
// well G determines it), but none of its orthonormality.
TEST_P(RetractionTest, PolarStepForgetsTheSingularValues) {
  if (columns == Beside::kUnit) return;
  for (const double condition : {1.0, 1e2, 1e5}) {
    // Singular values from 1 to 1 / condition.
    Vector sizes(k);
    for (Index i = 0; i < k; ++i) {
      sizes(i) = std::pow(condition, -static_cast<double>(i) / static_cast<double>(k));
    }
    const Matrix left = Frame::random(dim, k, stream).columns();
    const Matrix right = Frame::random(k, k, stream).columns();
    const Matrix bent = left * sizes.asDiagonal() * right.transpose();
    const Direction direction(frame, bent, columns);
    const auto step = polar_step(direction);
    ASSERT_TRUE(step.has_value()) << condition;
    const Frame y(frame.columns() * step->a + direction.basis * step->b);
    EXPECT_LT(largest(y.columns() - left * right.transpose()), 1e-14 * condition) << condition;
    // The singular vectors of a divide-and-conquer method have 12 digits.
    expect_orthonormal(y, 1e-12);
  }
}

TEST_P(RetractionTest, PolarStepDoesNotDependOnTheUnit) {
  if (columns == Beside::kUnit) return;
  const Direction direction(frame, g, columns);
  const auto step = polar_step(direction);
  for (const double unit : {1e-60, 1e60}) {
    const Direction scaled(frame, unit * g, columns);
    const auto other = polar_step(scaled);
    ASSERT_TRUE(step && other);
    EXPECT_LT(largest(other->apply(frame, scaled.basis).columns() -
                      step->apply(frame, direction.basis).columns()),
              1e-11);
  }
}

bool refuses(const Matrix& g) {
  Stream stream(9, Purpose::kTest);
  return !polar_step(Direction(Frame::random(g.rows(), g.cols(), stream), g, Beside::kOrthonormal))
              .has_value();
}

TEST(PolarStep, RefusesDependentColumns) {
  Stream stream(10, Purpose::kTest);
  EXPECT_TRUE(refuses(Matrix::Zero(5, 2)));
  EXPECT_TRUE(refuses(Matrix::Zero(5, 1)));
  EXPECT_TRUE(refuses(Matrix::Zero(5, 5)));
  Matrix twice = stream.normal_matrix(20, 3);
  EXPECT_FALSE(refuses(twice));
  twice.col(2) = -3 * twice.col(0);
  EXPECT_TRUE(refuses(twice));
  Matrix sum = stream.normal_matrix(20, 6);
  sum.col(4) = sum.col(0) + 1e-3 * sum.col(5);
  EXPECT_TRUE(refuses(sum));
  Matrix one_zero = stream.normal_matrix(20, 6);
  one_zero.col(3).setZero();
  EXPECT_TRUE(refuses(one_zero));
}

TEST(PolarStep, RefusesWhatIsNotFinite) {
  Matrix g = Matrix::Identity(5, 2);
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    g(3, 1) = bad;
    EXPECT_TRUE(refuses(g));
  }
}

// A step that has lost its digits must not spoil the frame.
TEST(SpanStep, ApplyRepairsDrift) {
  Stream stream(11, Purpose::kTest);
  const Frame frame = Frame::random(20, 3, stream);
  const Direction direction(frame, stream.normal_matrix(20, 3), Beside::kUnit);
  SpanStep step = CayleyCurve(direction).at(0.1);
  step.b *= 1 + 1e-6;
  expect_orthonormal(step.apply(frame, direction.basis), 1e-14);
}

RC_GTEST_PROP(CayleyProperty, StepsOfAnySizeStayOnTheManifold, ()) {
  Stream stream(*rc::gen::arbitrary<std::uint32_t>(), Purpose::kTest);
  const auto dim = *rc::gen::inRange<Index>(1, 30);
  const auto directions = *rc::gen::inRange<Index>(1, dim + 1);
  const auto decade = *rc::gen::inRange(-9, 2);
  const Frame frame = Frame::random(dim, directions, stream);
  Matrix g = stream.normal_matrix(dim, directions);
  // Columns without any gradient, columns that repeat the first.
  for (Index k = 0; k < directions; ++k) {
    const auto fate = *rc::gen::inRange(0, 6);
    if (fate == 0) g.col(k).setZero();
    if (fate == 1) g.col(k) = g.col(0);
  }
  const double t = std::pow(10.0, decade) / (g.norm() > 0 ? g.norm() : 1);
  for (const Beside columns : {Beside::kUnit, Beside::kOrthonormal}) {
    const Direction direction(frame, g, columns);
    const SpanStep step = CayleyCurve(direction).at(t);
    RC_ASSERT(Frame(frame.columns() * step.a + direction.basis * step.b).drift() < 1e-13);
    if (columns == Beside::kUnit) continue;
    if (const auto polar = polar_step(direction)) {
      RC_ASSERT(Frame(frame.columns() * polar->a + direction.basis * polar->b).drift() < 1e-12);
    }
  }
}

}  // namespace retraction_test
}  // namespace conflux

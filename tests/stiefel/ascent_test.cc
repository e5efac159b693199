#include "stiefel/ascent.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "kernels/dense.h"
#include "tests/support/orthonormal.h"

namespace conflux {
namespace ascent_test {

// Keeps what ascend() asked for and insists on the order of its calls.
class RecordingProblem : public AscentProblem {
 public:
  double start(const Frame& frame) override {
    here_ = frame;
    values.push_back(value_at(frame.columns()));
    return values.back();
  }
  Matrix gradient() override {
    ++gradients;
    return gradient_at(here_.columns());
  }
  void set_direction(const Matrix& basis) override { basis_ = basis; }
  double trial(const SpanStep& step) override {
    EXPECT_EQ(basis_.rows(), here_.dim());
    ++trials;
    last_ = here_.columns() * step.a + basis_ * step.b;
    last_value_ = value_at(last_);
    return last_value_;
  }
  void accept(const Frame& frame) override {
    EXPECT_LT((frame.columns() - last_).cwiseAbs().maxCoeff(), 1e-12);
    here_ = frame;
    basis_.resize(0, 0);
    values.push_back(last_value_);
    frames.push_back(frame);
  }

  Index gradients = 0;
  Index trials = 0;
  /// At the start and after each step.
  std::vector<double> values;
  std::vector<Frame> frames;

 protected:
  virtual double value_at(const Matrix& x) const = 0;
  virtual Matrix gradient_at(const Matrix& x) const = 0;

 private:
  Frame here_;
  Matrix basis_, last_;
  double last_value_ = 0;
};

// unit * tr(X^T A X) + offset, largest on the leading eigenvectors of A.
class Quadratic final : public RecordingProblem {
 public:
  explicit Quadratic(Matrix a, double unit = 1, double offset = 0)
      : a_(std::move(a)), unit_(unit), offset_(offset) {}

  double optimum(Index directions) const {
    return unit_ * kernels::symmetric_eigenvalues(a_).tail(directions).sum() + offset_;
  }
  Frame best_frame(Index directions) const {
    Matrix vectors = a_;
    kernels::symmetric_eigen(vectors);
    return Frame(vectors.bottomRows(directions).transpose());
  }

 private:
  double value_at(const Matrix& x) const override {
    return unit_ * (x.transpose() * a_ * x).trace() + offset_;
  }
  Matrix gradient_at(const Matrix& x) const override { return 2 * unit_ * (a_ * x); }

  Matrix a_;
  double unit_;
  double offset_;
};

// Positive definite with eigenvalues 1, 2, ..., dim.
Matrix matrix_with_known_spectrum(Index dim, std::uint64_t name) {
  Stream stream(12, Purpose::kTest, name);
  const Matrix q = Frame::random(dim, dim, stream).columns();
  return q * Vector::LinSpaced(dim, 1, static_cast<double>(dim)).asDiagonal() * q.transpose();
}

Frame random_frame(Index dim, Index directions, std::uint64_t name) {
  Stream stream(13, Purpose::kTest, name);
  return Frame::random(dim, directions, stream);
}

struct Case {
  bool polar;
  Index dim;
  Index directions;
};

class AscentTest : public testing::TestWithParam<Case> {
 protected:
  AscentOptions options() const { return {.max_steps = 2000, .polar = GetParam().polar}; }
};
INSTANTIATE_TEST_SUITE_P(Cases, AscentTest,
                         testing::Values(Case{false, 8, 1}, Case{false, 8, 3}, Case{false, 8, 7},
                                         Case{true, 8, 1}, Case{true, 8, 3}, Case{true, 8, 7},
                                         Case{false, 40, 5}, Case{true, 40, 5}),
                         [](const auto& instance) {
                           return std::string(instance.param.polar ? "Polar" : "Cayley") +
                                  std::to_string(instance.param.directions) + "Of" +
                                  std::to_string(instance.param.dim);
                         });

// Steps end below 1e-6; with eigenvalues a unit apart the value is then better than 1e-6.
TEST_P(AscentTest, FindsTheLeadingEigenspace) {
  const auto [polar, dim, directions] = GetParam();
  Quadratic problem(matrix_with_known_spectrum(dim, 1));
  const AscentResult result = ascend(random_frame(dim, directions, 1), problem, options());
  EXPECT_NEAR(result.value, problem.optimum(directions), 1e-6 * result.value);
  EXPECT_LT(result.steps, 2000);
  // The span, not the columns, is determined.
  const Matrix best = problem.best_frame(directions).columns();
  const Matrix outside =
      result.frame.columns() - best * (best.transpose() * result.frame.columns());
  EXPECT_LT(outside.cwiseAbs().maxCoeff(), 2e-3);
  expect_orthonormal(result.frame, 1e-10);
}

TEST_P(AscentTest, NeverDescendsAndReportsWhatItSaw) {
  const auto [polar, dim, directions] = GetParam();
  Quadratic problem(matrix_with_known_spectrum(dim, 2));
  const AscentResult result = ascend(random_frame(dim, directions, 2), problem, options());
  for (std::size_t i = 1; i < problem.values.size(); ++i) {
    EXPECT_GE(problem.values[i], problem.values[i - 1]) << "step " << i;
  }
  EXPECT_EQ(result.start_value, problem.values.front());
  EXPECT_EQ(result.value, problem.values.back());
  EXPECT_EQ(result.steps, static_cast<Index>(problem.frames.size()));
  EXPECT_EQ(result.evaluations, problem.trials + 1);
  EXPECT_EQ(result.frame.columns(), problem.frames.back().columns());
}

TEST_P(AscentTest, StopsAfterMaxStepsEachWithOneGradient) {
  const auto [polar, dim, directions] = GetParam();
  for (const Index max_steps : {1, 2, 5}) {
    Quadratic problem(matrix_with_known_spectrum(dim, 3));
    AscentOptions few = options();
    few.max_steps = max_steps;
    few.tolerance = 0;
    const AscentResult result = ascend(random_frame(dim, directions, 3), problem, few);
    EXPECT_EQ(result.steps, max_steps);
    EXPECT_EQ(problem.gradients, max_steps);
    EXPECT_GT(result.value, result.start_value);
  }
}

TEST_P(AscentTest, ZeroStepsKeepTheStart) {
  const auto [polar, dim, directions] = GetParam();
  Quadratic problem(matrix_with_known_spectrum(dim, 4));
  AscentOptions none = options();
  none.max_steps = 0;
  const Frame start = random_frame(dim, directions, 4);
  const AscentResult result = ascend(start, problem, none);
  EXPECT_EQ(result.frame.columns(), start.columns());
  EXPECT_EQ(result.value, result.start_value);
  EXPECT_EQ(result.evaluations, 1);
  EXPECT_EQ(problem.gradients, 0);
}

// The gradient is orthogonal to the manifold up to rounding. A slope of pure rounding must not send
// the search half a radian away and 40 halvings back.
TEST_P(AscentTest, StartAtTheOptimumCostsHardlyAnyTrials) {
  const auto [polar, dim, directions] = GetParam();
  for (std::uint64_t name = 0; name < 20; ++name) {
    Quadratic problem(matrix_with_known_spectrum(dim, 50 + name));
    const Frame best = problem.best_frame(directions);
    const AscentResult result = ascend(best, problem, options());
    EXPECT_LE(result.evaluations, 5) << name;
    EXPECT_LT((result.frame.columns() - best.columns()).cwiseAbs().maxCoeff(), 1e-7) << name;
  }
}

// A climb that ends well has found out so within a few trials, not by using them all up.
TEST_P(AscentTest, LastStepDoesNotUseUpAllTrials) {
  const auto [polar, dim, directions] = GetParam();
  for (std::uint64_t name = 0; name < 10; ++name) {
    Quadratic problem(matrix_with_known_spectrum(dim, 70 + name));
    const AscentResult result = ascend(random_frame(dim, directions, name), problem, options());
    EXPECT_LE(result.evaluations, 3 * result.steps + 25) << name;
  }
}

TEST_P(AscentTest, LooserToleranceStopsEarlier) {
  const auto [polar, dim, directions] = GetParam();
  Index last_steps = 100000;
  double last_value = std::numeric_limits<double>::infinity();
  for (const double tolerance : {1e-8, 1e-4, 1e-1}) {
    Quadratic problem(matrix_with_known_spectrum(dim, 6));
    AscentOptions loose = options();
    loose.tolerance = tolerance;
    const AscentResult result = ascend(random_frame(dim, directions, 6), problem, loose);
    EXPECT_LE(result.steps, last_steps) << tolerance;
    EXPECT_LE(result.value, last_value) << tolerance;
    last_steps = result.steps;
    last_value = result.value;
  }
}

TEST_P(AscentTest, EndsWithTheFirstStepThatGainsTooLittle) {
  const auto [polar, dim, directions] = GetParam();
  Quadratic problem(matrix_with_known_spectrum(dim, 7));
  AscentOptions picky = options();
  picky.min_relative_gain = 0.02;
  const AscentResult result = ascend(random_frame(dim, directions, 7), problem, picky);
  const auto& values = problem.values;
  for (std::size_t i = 1; i + 1 < values.size(); ++i) {
    EXPECT_GE(values[i] - values[i - 1], 0.02 * values[i]);
  }
  EXPECT_LT(values.back() - values[values.size() - 2], 0.02 * values.back());
}

// Millimetres or light-years: the path of frames is the same. Powers of two do not even round;
// other units round a little, which every step enlarges.
TEST_P(AscentTest, FollowsTheSamePathInAnyUnit) {
  const auto [polar, dim, directions] = GetParam();
  const Frame start = random_frame(dim, directions, 8);
  AscentOptions short_climb = options();
  short_climb.max_steps = 12;
  Quadratic plain(matrix_with_known_spectrum(dim, 8));
  const AscentResult expected = ascend(start, plain, short_climb);
  for (const double unit : {0x1p-100, 0x1p100, 1e-30, 1e30}) {
    SCOPED_TRACE(unit);
    Quadratic scaled(matrix_with_known_spectrum(dim, 8), unit);
    const AscentResult result = ascend(start, scaled, short_climb);
    EXPECT_EQ(result.evaluations, expected.evaluations);
    ASSERT_EQ(result.steps, expected.steps);
    const double apart = (result.frame.columns() - expected.frame.columns()).cwiseAbs().maxCoeff();
    EXPECT_LE(apart, unit == std::exp2(std::round(std::log2(unit))) ? 0 : 1e-7);
  }
}

// The square of the space: any frame is as good as any other, and the search must notice.
TEST(Ascent, LeavesAConstantFunctionAtOnce) {
  Quadratic problem(Matrix::Identity(6, 6));
  const AscentResult result = ascend(random_frame(6, 2, 9), problem, {});
  EXPECT_LE(result.evaluations, 2);
  EXPECT_NEAR(result.value, 2, 1e-14);
}

TEST(Ascent, LeavesAZeroGradientAtOnce) {
  for (const bool polar : {false, true}) {
    Quadratic problem(Matrix::Zero(6, 6), 1, 3);
    const Frame start = random_frame(6, 2, 10);
    const AscentResult result = ascend(start, problem, {.polar = polar});
    EXPECT_EQ(result.evaluations, 1);
    EXPECT_EQ(result.steps, 0);
    EXPECT_EQ(result.frame.columns(), start.columns());
  }
}

class Broken final : public RecordingProblem {
  double value_at(const Matrix& x) const override {
    return trials == 0 ? x(0, 0) : std::numeric_limits<double>::quiet_NaN();
  }
  Matrix gradient_at(const Matrix& x) const override {
    return Matrix::Constant(x.rows(), x.cols(),
                            gradients_are_finite ? 1.0 : std::numeric_limits<double>::quiet_NaN());
  }

 public:
  bool gradients_are_finite = true;
};

TEST(Ascent, EndsWithAFiniteFrameWhenTheFunctionBreaks) {
  for (const bool finite : {true, false}) {
    Broken problem;
    problem.gradients_are_finite = finite;
    const Frame start = random_frame(6, 2, 11);
    const AscentResult result = ascend(start, problem, {.polar = true, .max_trials = 7});
    EXPECT_EQ(result.steps, 0);
    EXPECT_LE(problem.trials, 8);
    EXPECT_EQ(result.frame.columns(), start.columns());
    EXPECT_TRUE(std::isfinite(result.value));
  }
}

// A function that promises more than it keeps: the gradient points the wrong way.
class Liar final : public RecordingProblem {
  double value_at(const Matrix& x) const override { return -x.sum(); }
  Matrix gradient_at(const Matrix& x) const override { return Matrix::Ones(x.rows(), x.cols()); }
};

TEST(Ascent, GivesUpAfterMaxTrials) {
  Liar problem;
  const AscentResult result =
      ascend(random_frame(6, 2, 12), problem, {.tolerance = 0, .max_trials = 9});
  EXPECT_EQ(problem.trials, 9);
  EXPECT_EQ(result.steps, 0);
  EXPECT_EQ(result.value, result.start_value);
}

// K = d: all frames span the space, but a weighted trace still tells them apart. The known optimum
// of <C, X> is the polar factor of C, with the sum of singular values as its value.
class Linear final : public RecordingProblem {
 public:
  explicit Linear(Matrix c) : c_(std::move(c)) {}

 private:
  double value_at(const Matrix& x) const override { return (c_.transpose() * x).trace(); }
  Matrix gradient_at(const Matrix&) const override { return c_; }

  Matrix c_;
};

TEST(Ascent, PolarStepSolvesALinearFunctionAtOnce) {
  Stream stream(14, Purpose::kTest);
  for (const Index directions : {1, 3, 6}) {
    Linear problem(stream.normal_matrix(6, directions));
    const AscentResult result = ascend(random_frame(6, directions, 13), problem, {.polar = true});
    const Matrix c = problem.gradient();
    const Matrix gram = c.transpose() * c;
    const Vector squares = kernels::symmetric_eigenvalues(gram);
    EXPECT_NEAR(result.value, squares.cwiseSqrt().sum(), 1e-12 * result.value);
    EXPECT_LE(result.steps, 2);
  }
}

RC_GTEST_PROP(AscentProperty, ValueGrowsAndFrameStaysOrthonormal, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto dim = *rc::gen::inRange<Index>(1, 15);
  const auto directions = *rc::gen::inRange<Index>(1, dim + 1);
  const auto polar = *rc::gen::arbitrary<bool>();
  Stream stream(seed, Purpose::kTest);
  // Indefinite and not symmetric in scale: nothing makes this easy.
  const Matrix m = stream.normal_matrix(dim, dim);
  Quadratic problem(m + m.transpose());
  const AscentResult result =
      ascend(Frame::random(dim, directions, stream), problem, {.max_steps = 30, .polar = polar});
  RC_ASSERT(result.value >= result.start_value);
  RC_ASSERT(result.value <= problem.optimum(directions) + 1e-8);
  RC_ASSERT(result.frame.drift() < 1e-10);
}

}  // namespace ascent_test
}  // namespace conflux

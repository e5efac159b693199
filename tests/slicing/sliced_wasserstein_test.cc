#include "slicing/sliced_wasserstein.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/slicing/samples.h"
#include "tests/support/slow_spread.h"

namespace conflux {
namespace sliced_wasserstein_test {

const Workers kOneThread(1);

Frame random_frame(Index dim, Index directions, std::uint64_t name) {
  Stream stream(22, Purpose::kTest, name);
  return Frame::random(dim, directions, stream);
}

std::vector<double> random_masses(Index count, std::uint64_t name) {
  Stream stream(23, Purpose::kTest, name);
  std::vector<double> masses(static_cast<std::size_t>(count));
  for (double& mass : masses) mass = stream.uniform();
  return masses;
}

template <class Scalar>
double value_of(const SearchSample<Scalar>& sample, const std::vector<double>& weights,
                const Frame& frame) {
  return SlicedSpread<Scalar>(sample, weights, frame.directions(), kOneThread).start(frame);
}

double slow_value(const SearchSample<double>& sample, const std::vector<double>& weights,
                  const Frame& frame) {
  double sum = 0;
  for (Index k = 0; k < frame.directions(); ++k) {
    std::vector<LineGroup> groups;
    for (Index m = 0; m < sample.num_groups(); ++m) {
      const Vector line = sample.rows[m] * frame.columns().col(k);
      groups.push_back({{line.begin(), line.end()}, sample.masses[m]});
    }
    sum += slow_spread(groups, weights);
  }
  return sum / static_cast<double>(frame.directions());
}

struct Case {
  const char* name;
  std::vector<Index> counts;
  std::vector<double> weights;
  bool masses;
  Index dim = 7;
  Index directions = 3;
};

SearchSample<double> sample_for(const Case& c) {
  std::vector<std::vector<double>> masses;
  for (const Index count : c.counts) {
    if (c.masses) masses.push_back(random_masses(count, masses.size()));
  }
  return conflux::sample_of<double>(normal_groups(c.counts, c.dim, 1), std::move(masses));
}

class SlicedSpreadTest : public testing::TestWithParam<Case> {
 protected:
  const Case& c = GetParam();
  SearchSample<double> sample = sample_for(c);
  Frame frame = random_frame(c.dim, c.directions, 1);
};

const std::vector<Index> kTenCounts{30, 31, 32, 33, 34, 35, 36, 37, 38, 39};

INSTANTIATE_TEST_SUITE_P(
    Cases, SlicedSpreadTest,
    testing::Values(Case{"TwoEqual", {40, 40}, {0.5, 0.5}, false},
                    Case{"TwoUneven", {40, 40}, {0.1, 0.9}, false},
                    Case{"TwoUnequal", {40, 23}, {0.5, 0.5}, false},
                    Case{"TwoWithMasses", {40, 40}, {0.5, 0.5}, true},
                    Case{"ThreeEqual", {300, 300, 300}, {0.2, 0.3, 0.5}, false},
                    Case{"ThreeUnequal", {17, 40, 300}, {0.2, 0.3, 0.5}, false},
                    Case{"ThreeWithMasses", {17, 40, 30}, {0.2, 0.3, 0.5}, true},
                    Case{"TenEqual", std::vector<Index>(10, 25), even_weights(10), false},
                    Case{"TenUnequal", kTenCounts, even_weights(10), false},
                    Case{"TenWithMasses", kTenCounts, even_weights(10), true},
                    Case{"ZeroWeight", {20, 30, 30}, {0.5, 0, 0.5}, false},
                    Case{"ZeroWeightAndMasses", {20, 30, 25}, {0.5, 0.5, 0}, true},
                    Case{"OneAgainstMany", {1, 200}, {0.5, 0.5}, false},
                    Case{"OneColumn", {20, 30}, {0.5, 0.5}, false, 1, 1},
                    Case{"AllDirections", {20, 30}, {0.5, 0.5}, false, 6, 6},
                    Case{"ManyColumns", {20, 20}, {0.5, 0.5}, false, 131, 17}),
    [](const auto& instance) { return instance.param.name; });

TEST_P(SlicedSpreadTest, ValueIsTheMeanSpreadOfTheProjections) {
  const double expected = slow_value(sample, c.weights, frame);
  EXPECT_NEAR(value_of(sample, c.weights, frame), expected, 1e-12 * expected);
}

// In the whole space of d x K matrices, not along the manifold only. The value is piecewise
// quadratic, so central differences are exact as long as no ranks change within the step; it is
// short for that reason, and rounding / step = 1e-8.
TEST_P(SlicedSpreadTest, GradientMatchesCentralDifferences) {
  SlicedSpread<double> spread(sample, c.weights, c.directions, kOneThread);
  spread.start(frame);
  const Matrix g = spread.gradient();
  const double h = 1e-8;
  Matrix differences(c.dim, c.directions);
  for (Index j = 0; j < c.dim; ++j) {
    for (Index k = 0; k < c.directions; ++k) {
      Matrix ahead = frame.columns(), behind = frame.columns();
      ahead(j, k) += h;
      behind(j, k) -= h;
      differences(j, k) =
          (value_of(sample, c.weights, Frame(ahead)) - value_of(sample, c.weights, Frame(behind))) /
          (2 * h);
    }
  }
  EXPECT_LT((g - differences).norm(), 1e-6 * g.norm());
}

// The value is homogeneous of degree 2 in each direction.
TEST_P(SlicedSpreadTest, GradientAlongTheFrameIsTwiceTheValue) {
  SlicedSpread<double> spread(sample, c.weights, c.directions, kOneThread);
  const double value = spread.start(frame);
  const double along = (frame.columns().transpose() * spread.gradient()).trace();
  EXPECT_NEAR(along, 2 * value, 1e-12 * value);
}

TEST_P(SlicedSpreadTest, TrialIsTheValueAtTheMovedFrame) {
  SlicedSpread<double> spread(sample, c.weights, c.directions, kOneThread);
  spread.start(frame);
  const Matrix g = spread.gradient();
  for (const Beside columns : {Beside::kUnit, Beside::kOrthonormal}) {
    const Direction direction(frame, g, columns);
    spread.set_direction(direction.basis);
    for (const double angle : {0.0, 1e-3, 0.3, 2.0}) {
      const SpanStep step = CayleyCurve(direction).at(angle / g.norm());
      const double expected = value_of(sample, c.weights, step.apply(frame, direction.basis));
      EXPECT_NEAR(spread.trial(step), expected, 1e-12 * expected) << angle;
    }
    if (columns == Beside::kUnit) continue;
    if (const auto step = polar_step(direction)) {
      const double expected = value_of(sample, c.weights, step->apply(frame, direction.basis));
      EXPECT_NEAR(spread.trial(*step), expected, 1e-12 * expected);
    }
  }
}

// Projections are updated for ten steps and then computed anew; results must not show either.
TEST_P(SlicedSpreadTest, StaysWhereItsStepsLed) {
  SlicedSpread<double> spread(sample, c.weights, c.directions, kOneThread);
  spread.start(frame);
  Frame here = frame;
  for (Index i = 0; i < 23; ++i) {
    const Matrix g = spread.gradient();
    const Direction direction(here, g, Beside::kUnit);
    spread.set_direction(direction.basis);
    const SpanStep step = CayleyCurve(direction).at(0.2 / g.norm());
    const double value = spread.trial(step);
    here = step.apply(here, direction.basis);
    spread.accept(here);
    SlicedSpread<double> fresh(sample, c.weights, c.directions, kOneThread);
    EXPECT_NEAR(value, fresh.start(here), 1e-11 * value) << "step " << i;
    EXPECT_LT((spread.gradient() - fresh.gradient()).norm(), 1e-9 * g.norm()) << "step " << i;
  }
}

TEST_P(SlicedSpreadTest, ValueIsTheMeanOverDirections) {
  SlicedSpread<double> spread(sample, c.weights, c.directions, kOneThread);
  const double value = spread.start(frame);
  const std::vector<double> each = spread.per_direction();
  ASSERT_EQ(static_cast<Index>(each.size()), c.directions);
  double sum = 0;
  for (Index k = 0; k < c.directions; ++k) {
    sum += each[k];
    const double alone = value_of(sample, c.weights, Frame(frame.columns().col(k)));
    EXPECT_NEAR(each[k], alone, 1e-13 * alone);
  }
  EXPECT_NEAR(sum / static_cast<double>(c.directions), value, 1e-14 * value);
}

// Sums of 1e3 numbers in single precision; ranks of values that are equal there do not matter.
TEST_P(SlicedSpreadTest, SinglePrecisionIsClose) {
  SearchSample<float> narrow;
  for (const auto& rows : sample.rows) narrow.rows.push_back(rows.cast<float>());
  narrow.masses = sample.masses;
  SlicedSpread<double> wide(sample, c.weights, c.directions, kOneThread);
  SlicedSpread<float> spread(narrow, c.weights, c.directions, kOneThread);
  const double value = wide.start(frame);
  EXPECT_NEAR(spread.start(frame), value, 2e-6 * value);
  const Matrix g = wide.gradient();
  EXPECT_LT((spread.gradient() - g).norm(), 5e-6 * g.norm());
  const Direction direction(frame, g, Beside::kUnit);
  wide.set_direction(direction.basis);
  spread.set_direction(direction.basis);
  const SpanStep step = CayleyCurve(direction).at(0.3 / g.norm());
  EXPECT_NEAR(spread.trial(step), wide.trial(step), 2e-6 * value);
}

TEST_P(SlicedSpreadTest, OrderOfRowsDoesNotMatter) {
  SearchSample<double> shuffled = sample;
  for (std::size_t m = 0; m < sample.rows.size(); ++m) {
    const auto order = Stream(24, Purpose::kTest, m).permutation(sample.rows[m].rows());
    for (Index i = 0; i < sample.rows[m].rows(); ++i) {
      shuffled.rows[m].row(i) = sample.rows[m].row(order[i]);
      if (!sample.masses[m].empty()) shuffled.masses[m][i] = sample.masses[m][order[i]];
    }
  }
  const double value = value_of(sample, c.weights, frame);
  EXPECT_NEAR(value_of(shuffled, c.weights, frame), value, 1e-13 * value);
}

TEST_P(SlicedSpreadTest, OrderOfGroupsDoesNotMatter) {
  SearchSample<double> reversed = sample;
  std::vector<double> weights = c.weights;
  std::reverse(reversed.rows.begin(), reversed.rows.end());
  std::reverse(reversed.masses.begin(), reversed.masses.end());
  std::reverse(weights.begin(), weights.end());
  const double value = value_of(sample, c.weights, frame);
  EXPECT_NEAR(value_of(reversed, weights, frame), value, 1e-13 * value);
}

TEST_P(SlicedSpreadTest, RotatingTheSpaceRotatesTheFrame) {
  const Matrix q = random_frame(c.dim, c.dim, 2).columns();
  SearchSample<double> rotated = sample;
  for (auto& rows : rotated.rows) rows = Matrix(rows * q);
  const Frame turned(q.transpose() * frame.columns());
  const double value = value_of(sample, c.weights, frame);
  EXPECT_NEAR(value_of(rotated, c.weights, turned), value, 1e-12 * value);
}

TEST_P(SlicedSpreadTest, ShiftsOfAllGroupsCancelAndScalesSquare) {
  SearchSample<double> moved = sample;
  const Vector shift = Stream(25, Purpose::kTest).normal_matrix(c.dim, 1);
  for (auto& rows : moved.rows) rows = Matrix((3 * rows).rowwise() + shift.transpose());
  const double value = value_of(sample, c.weights, frame);
  EXPECT_NEAR(value_of(moved, c.weights, frame), 9 * value, 1e-11 * value);
}

// A row of mass 3 is three rows; a row of mass 0 is none.
TEST_P(SlicedSpreadTest, IntegerMassesCountRepeatedRows) {
  SearchSample<double> weighted = sample, repeated = sample;
  for (std::size_t m = 0; m < sample.rows.size(); ++m) {
    Stream stream(26, Purpose::kTest, m);
    weighted.masses[m].clear();
    std::vector<Index> copies;
    for (Index i = 0; i < sample.rows[m].rows(); ++i) {
      const Index times = i == 0 ? 2 : stream.below(4);
      weighted.masses[m].push_back(static_cast<double>(times));
      copies.insert(copies.end(), static_cast<std::size_t>(times), i);
    }
    repeated.rows[m] = Matrix(sample.rows[m](copies, Eigen::all));
    repeated.masses[m].clear();
  }
  SlicedSpread<double> one(weighted, c.weights, c.directions, kOneThread);
  SlicedSpread<double> other(repeated, c.weights, c.directions, kOneThread);
  const double value = one.start(frame);
  EXPECT_NEAR(other.start(frame), value, 1e-13 * value);
  const Matrix g = one.gradient();
  EXPECT_LT((other.gradient() - g).norm(), 1e-12 * g.norm());
}

// The objective of the two-group method is the mean of (s_1 - s_2)^2 over ranks and directions.
TEST(SlicedSpread, OfTwoGroupsIsAQuarterOfTheTwoGroupObjective) {
  const auto groups = normal_groups({50, 50}, 6, 3);
  const Frame frame = random_frame(6, 4, 3);
  double objective = 0;
  for (Index k = 0; k < 4; ++k) {
    Vector a = groups[0] * frame.columns().col(k);
    Vector b = groups[1] * frame.columns().col(k);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    objective += (a - b).squaredNorm() / 50 / 4;
  }
  EXPECT_NEAR(value_of(sample_of(groups), {0.5, 0.5}, frame), objective / 4, 1e-13 * objective);
}

TEST(SlicedSpread, OfEqualGroupsIsZeroWithoutGradient) {
  const Matrix rows = normal_groups({40}, 5, 4)[0];
  for (const std::size_t groups : {2, 3, 10}) {
    const auto sample = sample_of(std::vector<Matrix>(groups, rows));
    SlicedSpread<double> spread(sample, even_weights(groups), 2, kOneThread);
    // Weights like 1/3 round, and so does the barycenter.
    EXPECT_NEAR(spread.start(random_frame(5, 2, 4)), 0, 1e-30);
    EXPECT_LT(spread.gradient().norm(), 1e-14);
  }
}

TEST(SlicedSpread, GroupOfWeightZeroDoesNotCount) {
  auto groups = normal_groups({20, 20, 33}, 4, 5);
  const Frame frame = random_frame(4, 2, 5);
  const double with = value_of(sample_of(groups), {0.4, 0.6, 0}, frame);
  groups.pop_back();
  EXPECT_NEAR(value_of(sample_of(groups), {0.4, 0.6}, frame), with, 1e-13 * with);
}

// Features that are alike in all rows carry no difference: gradients there are zero.
TEST(SlicedSpread, ConstantColumnsAndRepeatedRowsAreFine) {
  std::vector<Matrix> groups = normal_groups({40, 25}, 5, 6);
  for (Matrix& rows : groups) {
    rows.col(1).setConstant(3);
    rows.col(4).setZero();
    for (Index i = 10; i < rows.rows(); ++i) rows.row(i) = rows.row(i % 10);
  }
  const auto sample = sample_of(groups);
  const Frame frame = random_frame(5, 2, 6);
  const double expected = slow_value(sample, {0.5, 0.5}, frame);
  SlicedSpread<double> spread(sample, {0.5, 0.5}, 2, kOneThread);
  EXPECT_NEAR(spread.start(frame), expected, 1e-12 * expected);
  EXPECT_EQ(spread.gradient().row(4).norm(), 0);
}

// A gradient with the projections of Q passes over the data twice, a trial never.
TEST(SlicedSpread, CountsItsPassesOverTheData) {
  const auto sample = sample_of(normal_groups({20, 30}, 4, 7));
  const Frame frame = random_frame(4, 2, 7);
  SlicedSpread<double> spread(sample, {0.5, 0.5}, 2, kOneThread);
  spread.start(frame);
  EXPECT_EQ(spread.passes(), 1);
  const Direction direction(frame, spread.gradient(), Beside::kUnit);
  spread.set_direction(direction.basis);
  EXPECT_EQ(spread.passes(), 3);
  for (const double t : {0.1, 0.2}) spread.trial(CayleyCurve(direction).at(t));
  EXPECT_EQ(spread.passes(), 3);
}

// More rows and columns than any task takes: 96 rows of a projection, 512 of a trial, 16384 rows
// and 48 columns of a gradient.
template <class Scalar>
std::vector<Matrix> everything_on(int threads) {
  const auto groups = normal_groups({16500, 700, 1100}, 60, 8);
  std::vector<std::vector<double>> masses(3);
  masses[1] = random_masses(700, 8);
  const auto sample = conflux::sample_of<Scalar>(groups, masses);
  const Workers workers(threads);
  SlicedSpread<Scalar> spread(sample, {0.2, 0.3, 0.5}, 5, workers);
  Frame frame = random_frame(60, 5, 8);
  std::vector<Matrix> out{Matrix::Constant(1, 1, spread.start(frame))};
  for (Index i = 0; i < 2; ++i) {
    const Matrix g = spread.gradient();
    const Direction direction(frame, g, Beside::kUnit);
    spread.set_direction(direction.basis);
    const SpanStep step = CayleyCurve(direction).at(0.3 / g.norm());
    out.push_back(Matrix::Constant(1, 1, spread.trial(step)));
    out.push_back(g);
    frame = step.apply(frame, direction.basis);
    spread.accept(frame);
  }
  return out;
}

TEST(SlicedSpread, ThreeThreadsGiveTheBitsOfOne) {
  const auto wide = everything_on<double>(1);
  const auto narrow = everything_on<float>(1);
  for (const int threads : {2, 3}) {
    EXPECT_EQ(everything_on<double>(threads), wide);
    EXPECT_EQ(everything_on<float>(threads), narrow);
  }
}

// Any counts, ties included: values on a small grid.
RC_GTEST_PROP(SlicedSpreadProperty, ValueEqualsTheSlowReference, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto groups = *rc::gen::inRange<std::size_t>(2, 5);
  const auto dim = *rc::gen::inRange<Index>(1, 6);
  const auto directions = *rc::gen::inRange<Index>(1, dim + 1);
  Stream stream(seed, Purpose::kTest);
  std::vector<Matrix> rows;
  std::vector<std::vector<double>> masses(groups);
  std::vector<double> weights;
  double total = 0;
  for (std::size_t m = 0; m < groups; ++m) {
    const auto count = *rc::gen::inRange<Index>(1, 30);
    rows.push_back(Matrix::NullaryExpr(
        count, dim, [&](Index, Index) { return static_cast<double>(stream.below(4)); }));
    if (*rc::gen::arbitrary<bool>()) masses[m] = random_masses(count, m);
    weights.push_back(stream.uniform());
    total += weights.back();
  }
  for (double& weight : weights) weight /= total;
  const auto sample = conflux::sample_of<double>(rows, masses);
  // Axes keep the ties of the grid; a turned frame does not.
  const Frame frame = *rc::gen::arbitrary<bool>() ? Frame(Matrix::Identity(dim, directions))
                                                  : Frame::random(dim, directions, stream);
  const double expected = slow_value(sample, weights, frame);
  RC_ASSERT(std::abs(value_of(sample, weights, frame) - expected) <= 1e-11 * (1 + expected));
}

}  // namespace sliced_wasserstein_test
}  // namespace conflux

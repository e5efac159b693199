#include "univariate/wasserstein.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/rng.h"

namespace conflux {
namespace wasserstein_test {

template <class T>
struct Problem {
  std::vector<std::vector<T>> values;
  std::vector<std::vector<double>> levels;
  std::vector<double> weights;

  std::vector<SortedSample<T>> samples() const {
    std::vector<SortedSample<T>> out;
    for (std::size_t m = 0; m < values.size(); ++m) out.push_back({values[m], levels[m]});
    return out;
  }
};

std::vector<double> random_weights(std::size_t groups, std::uint64_t name) {
  Stream stream(6, Purpose::kTest, name);
  std::vector<double> out(groups);
  for (double& w : out) w = 0.1 + stream.uniform();
  const double total = std::accumulate(out.begin(), out.end(), 0.0);
  for (double& w : out) w /= total;
  return out;
}

Problem<double> random_problem(const std::vector<Index>& counts, std::uint64_t name) {
  Stream stream(7, Purpose::kTest, name);
  Problem<double> out;
  for (const Index count : counts) {
    const double shift = stream.normal(), scale = std::exp(stream.normal());
    std::vector<double> values(count);
    for (double& x : values) x = shift + scale * stream.normal();
    std::sort(values.begin(), values.end());
    out.values.push_back(values);
    out.levels.emplace_back();
  }
  out.weights = random_weights(counts.size(), name);
  return out;
}

// Levels from random masses; some masses are zero, so some levels repeat.
void weigh_samples(Problem<double>& problem, std::uint64_t name) {
  Stream stream(8, Purpose::kTest, name);
  for (std::size_t m = 0; m < problem.values.size(); ++m) {
    auto& levels = problem.levels[m];
    levels.resize(problem.values[m].size());
    double mass = 0;
    for (double& level : levels) {
      if (stream.below(5) > 0) mass += stream.uniform();
      level = mass;
    }
    if (mass == 0) levels.back() = mass = 1;
    for (double& level : levels) level /= mass;
  }
}

struct Result {
  double spread;
  std::vector<std::vector<double>> residuals;
};

template <class T>
Result spread_of(const Problem<T>& problem) {
  std::vector<std::vector<T>> residuals;
  std::vector<T*> pointers;
  for (const auto& values : problem.values) residuals.emplace_back(values.size(), T(99));
  for (auto& r : residuals) pointers.push_back(r.data());
  const auto samples = problem.samples();
  Result out;
  out.spread = barycenter_spread<T>(samples, problem.weights, pointers);
  // Without residuals the spread is the same number.
  EXPECT_EQ(barycenter_spread<T>(samples, problem.weights, {}), out.spread);
  for (const auto& r : residuals) out.residuals.emplace_back(r.begin(), r.end());
  return out;
}

// Cuts the levels at every end of every value and integrates piece by piece, looking each quantile
// up by itself.
template <class T>
Result slow_spread(const Problem<T>& problem) {
  const std::size_t groups = problem.values.size();
  const auto ends_of = [&](std::size_t m) {
    if (!problem.levels[m].empty()) return problem.levels[m];
    const auto count = static_cast<double>(problem.values[m].size());
    std::vector<double> ends;
    for (double i = 1; i <= count; ++i) ends.push_back(i / count);
    return ends;
  };
  std::vector<double> cuts{0};
  Result out{0, {}};
  for (std::size_t m = 0; m < groups; ++m) {
    const auto ends = ends_of(m);
    cuts.insert(cuts.end(), ends.begin(), ends.end());
    out.residuals.emplace_back(problem.values[m].size(), 0.0);
  }
  std::sort(cuts.begin(), cuts.end());
  for (std::size_t c = 1; c < cuts.size(); ++c) {
    const double length = cuts[c] - cuts[c - 1];
    if (length <= 0) continue;
    const double middle = 0.5 * (cuts[c] + cuts[c - 1]);
    std::vector<std::size_t> at(groups);
    double barycenter = 0;
    for (std::size_t m = 0; m < groups; ++m) {
      const auto ends = ends_of(m);
      at[m] = std::min<std::size_t>(
          std::upper_bound(ends.begin(), ends.end(), middle) - ends.begin(), ends.size() - 1);
      barycenter += problem.weights[m] * problem.values[m][at[m]];
    }
    for (std::size_t m = 0; m < groups; ++m) {
      const double r = problem.values[m][at[m]] - barycenter;
      out.spread += length * problem.weights[m] * r * r;
      out.residuals[m][at[m]] += length * problem.weights[m] * r;
    }
  }
  return out;
}

void expect_near(const Result& found, const Result& expected, double tolerance) {
  EXPECT_NEAR(found.spread, expected.spread, tolerance * (1 + expected.spread));
  for (std::size_t m = 0; m < expected.residuals.size(); ++m) {
    for (std::size_t i = 0; i < expected.residuals[m].size(); ++i) {
      ASSERT_NEAR(found.residuals[m][i], expected.residuals[m][i], tolerance)
          << "group " << m << ", value " << i;
    }
  }
}

class SpreadTest : public testing::TestWithParam<std::vector<Index>> {};

TEST_P(SpreadTest, EqualsTheSlowIntegral) {
  const auto problem = random_problem(GetParam(), 1);
  expect_near(spread_of(problem), slow_spread(problem), 1e-12);
}

// Values of their own mass, some without any, which must still get a residual: zero.
TEST_P(SpreadTest, OfWeighedSamplesEqualsTheSlowIntegral) {
  auto problem = random_problem(GetParam(), 2);
  weigh_samples(problem, 2);
  expect_near(spread_of(problem), slow_spread(problem), 1e-12);
}

// Half the derivative: a value may be moved by h without changing any rank when h is small.
TEST_P(SpreadTest, ResidualsAreHalfTheDerivative) {
  for (const bool weighed : {false, true}) {
    auto problem = random_problem(GetParam(), 3);
    if (weighed) weigh_samples(problem, 3);
    const Result found = spread_of(problem);
    for (std::size_t m = 0; m < problem.values.size(); ++m) {
      for (std::size_t i = 0; i < problem.values[m].size(); i += 1 + problem.values[m].size() / 7) {
        const double h = 1e-4;  // the spread is quadratic: central differences are exact
        auto moved = problem;
        moved.values[m][i] += h;
        const double up = barycenter_spread<double>(moved.samples(), moved.weights, {});
        moved.values[m][i] -= 2 * h;
        const double down = barycenter_spread<double>(moved.samples(), moved.weights, {});
        EXPECT_NEAR(found.residuals[m][i], (up - down) / (4 * h), 1e-10 * (1 + found.spread));
      }
    }
  }
}

// At each level the weighted residuals cancel; so do their integrals.
TEST_P(SpreadTest, ResidualsSumToZeroOverTheGroups) {
  for (const bool weighed : {false, true}) {
    auto problem = random_problem(GetParam(), 4);
    if (weighed) weigh_samples(problem, 4);
    double sum = 0;
    for (const auto& residuals : spread_of(problem).residuals) {
      sum = std::accumulate(residuals.begin(), residuals.end(), sum);
    }
    EXPECT_NEAR(sum, 0, 1e-13);
  }
}

// Single precision rounds projections of size 10 to 1e-6.
TEST_P(SpreadTest, SinglePrecisionAgreesWithDouble) {
  for (const bool weighed : {false, true}) {
    auto problem = random_problem(GetParam(), 5);
    if (weighed) weigh_samples(problem, 5);
    Problem<float> rounded{{}, problem.levels, problem.weights};
    for (auto& values : problem.values) {
      rounded.values.emplace_back(values.begin(), values.end());
      values.assign(rounded.values.back().begin(), rounded.values.back().end());
    }
    expect_near(spread_of(rounded), spread_of(problem), 2e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Counts, SpreadTest,
    testing::Values(std::vector<Index>{1, 1}, std::vector<Index>{100, 100},
                    std::vector<Index>{256, 256, 256}, std::vector<Index>{515, 515},
                    std::vector<Index>{1, 100}, std::vector<Index>{7, 13, 100},
                    std::vector<Index>{99, 100, 101, 300, 1}, std::vector<Index>{5},
                    std::vector<Index>{20, 20, 20, 20, 20, 20, 20, 20, 20, 19}));

// The same samples with their levels spelled out take the other path.
TEST(Spread, OfEqualCountsIsTheSameOnBothPaths) {
  auto problem = random_problem({300, 300, 300}, 6);
  const Result equal = spread_of(problem);
  for (auto& levels : problem.levels) {
    for (int i = 1; i <= 300; ++i) levels.push_back(i / 300.0);
  }
  expect_near(spread_of(problem), equal, 1e-13);
}

// Each sample twice as often is the same distribution.
TEST(Spread, DoesNotChangeWhenASampleIsRepeated) {
  auto problem = random_problem({30, 30}, 7);
  const double once = spread_of(problem).spread;
  auto& values = problem.values[1];
  for (int i = 0; i < 2; ++i) values.insert(values.end(), values.begin(), values.begin() + 30);
  std::sort(values.begin(), values.end());
  EXPECT_NEAR(spread_of(problem).spread, once, 1e-13 * (1 + once));
}

TEST(Spread, OfTwoHalvesIsAQuarterOfTheSquaredWassersteinDistance) {
  auto problem = random_problem({400, 400}, 8);
  problem.weights = {0.5, 0.5};
  double squared_distance = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    squared_distance += std::pow(problem.values[0][i] - problem.values[1][i], 2) / 400;
  }
  EXPECT_NEAR(spread_of(problem).spread, squared_distance / 4, 1e-13);
}

TEST(Spread, IgnoresGroupsWithoutWeight) {
  auto problem = random_problem({50, 60, 50}, 9);
  problem.weights = {0.4, 0, 0.6};
  const Result all = spread_of(problem);
  Problem<double> two{{problem.values[0], problem.values[2]}, {{}, {}}, {0.4, 0.6}};
  EXPECT_NEAR(all.spread, spread_of(two).spread, 1e-13 * (1 + all.spread));
  for (const double r : all.residuals[1]) EXPECT_EQ(r, 0);
}

// A running sum of masses may end one rounding above 1; no value may be waited for in vain.
TEST(Spread, EndsWhenRoundedLevelsPassOne) {
  Problem<double> problem{{{0, 1, 2}, {0, 1}}, {{0.5, 1 + 1e-15, 1 + 1e-15}, {}}, {0.5, 0.5}};
  const Result found = spread_of(problem);
  EXPECT_EQ(found.spread, 0);
  EXPECT_EQ(found.residuals[0][2], 0);
}

// A shift common to all groups changes nothing but rounding: 1e8 eps = 2e-8 in each value.
TEST(Spread, OfFarAwaySamplesKeepsItsDigits) {
  for (const std::vector<Index>& counts : {std::vector<Index>{100, 100}, {100, 77}}) {
    auto problem = random_problem(counts, 10);
    const double here = spread_of(problem).spread;
    for (auto& values : problem.values) {
      for (double& x : values) x += 1e8;
    }
    EXPECT_NEAR(spread_of(problem).spread, here, 1e-6 * (1 + here));
  }
}

RC_GTEST_PROP(Spread, EqualsTheSlowIntegralForAnySizesAndTies, ()) {
  const auto groups = *rc::gen::inRange<std::size_t>(1, 5);
  Problem<double> problem;
  for (std::size_t m = 0; m < groups; ++m) {
    const auto raw =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-9, 9)));
    problem.values.emplace_back(raw.begin(), raw.end());
    std::sort(problem.values.back().begin(), problem.values.back().end());
    problem.levels.emplace_back();
  }
  problem.weights = random_weights(groups, groups);
  if (*rc::gen::arbitrary<bool>()) weigh_samples(problem, groups);
  const Result found = spread_of(problem);
  const Result expected = slow_spread(problem);
  RC_ASSERT(std::abs(found.spread - expected.spread) < 1e-11);
  for (std::size_t m = 0; m < groups; ++m) {
    for (std::size_t i = 0; i < problem.values[m].size(); ++i) {
      RC_ASSERT(std::abs(found.residuals[m][i] - expected.residuals[m][i]) < 1e-12);
    }
  }
}

}  // namespace wasserstein_test
}  // namespace conflux

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "tests/metrics/clouds.h"

namespace conflux {
namespace exact_wasserstein_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

// Costs of at most 100 are rounded to 2^-44 of the largest, and sums of at most 100 terms.
constexpr double kTolerance = 1e-11;

double exact(const Matrix& x, const Matrix& y) { return exact_w2_squared(x, y, {}, Workers(1)); }

double over_all_permutations(const Matrix& x, const Matrix& y) {
  std::vector<Index> order(static_cast<std::size_t>(x.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  double best = std::numeric_limits<double>::infinity();
  do {
    double cost = 0;
    for (Index i = 0; i < x.rows(); ++i) cost += (x.row(i) - y.row(order[i])).squaredNorm();
    best = std::min(best, cost / static_cast<double>(x.rows()));
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

RC_GTEST_PROP(ExactWasserstein, IsTheBestOfAllPermutations, ()) {
  const Index rows = *rc::gen::inRange<Index>(1, 8);
  const Index cols = *rc::gen::inRange<Index>(1, 4);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000000);
  const bool ties = *rc::gen::arbitrary<bool>();
  const Matrix x = ties ? cloud_with_ties(rows, cols, seed) : normal_cloud(rows, cols, seed);
  const Matrix y = ties ? cloud_with_ties(rows, cols, ~seed) : normal_cloud(rows, cols, ~seed);
  RC_ASSERT(std::abs(exact(x, y) - over_all_permutations(x, y)) < kTolerance);
}

RC_GTEST_PROP(ExactWasserstein, OnTheLineIsTheClosedForm, ()) {
  const Index rows_x = *rc::gen::inRange<Index>(1, 40);
  const Index rows_y = *rc::gen::inRange<Index>(1, 40);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000000);
  const Matrix x = normal_cloud(rows_x, 1, seed);
  const Matrix y = normal_cloud(rows_y, 1, ~seed);
  const double closed = wasserstein_1d_squared({x.data(), static_cast<std::size_t>(x.size())},
                                               {y.data(), static_cast<std::size_t>(y.size())});
  RC_ASSERT(std::abs(exact(x, y) - closed) < kTolerance);
}

// Replicating points changes neither distribution, but turns unequal counts into equal ones.
RC_GTEST_PROP(ExactWasserstein, OfUnequalCountsIsThatOfReplicatedPoints, ()) {
  const Index rows_x = *rc::gen::inRange<Index>(1, 9);
  const Index rows_y = *rc::gen::inRange<Index>(1, 9);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000000);
  const Matrix x = normal_cloud(rows_x, 3, seed);
  const Matrix y = normal_cloud(rows_y, 3, ~seed);
  const double replicated = exact(each_row_repeated(x, rows_y), each_row_repeated(y, rows_x));
  RC_ASSERT(std::abs(exact(x, y) - replicated) < kTolerance);
}

RC_GTEST_PROP(ExactWasserstein, IsADistance, ()) {
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000000);
  const Matrix x = normal_cloud(*rc::gen::inRange<Index>(1, 20), 2, 3 * seed);
  const Matrix y = normal_cloud(*rc::gen::inRange<Index>(1, 20), 2, 3 * seed + 1);
  const Matrix z = normal_cloud(*rc::gen::inRange<Index>(1, 20), 2, 3 * seed + 2);
  RC_ASSERT(exact(x, x) == 0.0);
  RC_ASSERT(std::abs(exact(x, y) - exact(y, x)) < kTolerance);
  RC_ASSERT(std::sqrt(exact(x, z)) <= std::sqrt(exact(x, y)) + std::sqrt(exact(y, z)) + 1e-6);
}

TEST(ExactWasserstein, OfATranslationIsItsSquaredLength) {
  const Matrix x = normal_cloud(200, 3, 1);
  const Matrix moved = x.rowwise() + Eigen::RowVector3d(3, 0, -4);
  EXPECT_NEAR(exact(x, moved), 25, 25 * kTolerance);
}

TEST(ExactWasserstein, DoesNotDependOnTheUnitOfLength) {
  const Matrix x = normal_cloud(30, 3, 1);
  const Matrix y = normal_cloud(20, 3, 2);
  for (const double unit : {1e-100, 1e-9, 1e9, 1e100}) {
    EXPECT_NEAR(exact(unit * x, unit * y) / unit / unit, exact(x, y), kTolerance);
  }
}

// The squares are below the normal range of double, and so is the reciprocal of the largest.
TEST(ExactWasserstein, SurvivesCostsThatAreNearlyZero) {
  EXPECT_NEAR(exact(column({0, 2e-160}), column({1e-160, 3e-160})), 1e-320, 1e-322);
}

TEST(ExactWasserstein, MeetsPythonOptimalTransport) {
  for (const GoldenCase& golden : golden_cases()) {
    SCOPED_TRACE(golden.name);
    EXPECT_NEAR(exact(golden.x, golden.y), golden.values.at("emd2"), kTolerance);
  }
}

// A row of weight 3 is three rows, and a row of weight 0 is none.
TEST(ExactWasserstein, CountsRowsByTheirWeights) {
  const Matrix x = normal_cloud(4, 2, 1);
  const Matrix y = normal_cloud(5, 2, 2);
  const std::vector<double> weights = {3, 0, 1, 2};
  const std::vector<double> equal(5, 0.7);
  Matrix repeated(6, 2);
  repeated << x.row(0), x.row(0), x.row(0), x.row(2), x.row(3), x.row(3);
  EXPECT_NEAR(exact_w2_squared(x, weights, y, equal, Workers(1)), exact(repeated, y), kTolerance);
}

TEST(ExactWasserstein, OfBlocksIsTheirMeanBySizeAndNoLessThanTheWhole) {
  const Matrix x = normal_cloud(25, 3, 1);
  const Matrix y = normal_cloud(25, 3, 2);
  const auto part = [&](Index begin, Index rows) {
    return exact(x.middleRows(begin, rows), y.middleRows(begin, rows));
  };
  const double cut = exact_w2_squared(x, y, {.block = 10}, Workers(2));
  EXPECT_DOUBLE_EQ(cut, (10 * part(0, 10) + 10 * part(10, 10) + 5 * part(20, 5)) / 25);
  EXPECT_GE(cut, exact(x, y));
}

TEST(ExactWasserstein, CutsLargeCloudsByItself) {
  const Matrix x = normal_cloud(2001, 2, 1);
  const Matrix y = normal_cloud(1200, 2, 2);
  EXPECT_EQ(exact_w2_squared(x, y, {}, Workers(2)),
            exact_w2_squared(x, y, {.block = 500}, Workers(2)));
}

TEST(ExactWasserstein, OneThreadGivesTheBitsOfThree) {
  const Matrix x = normal_cloud(230, 20, 1);
  const Matrix y = normal_cloud(190, 20, 2);
  for (const ExactWassersteinOptions& options : {ExactWassersteinOptions{}, {.block = 50}}) {
    EXPECT_EQ(exact_w2_squared(x, y, options, Workers(1)),
              exact_w2_squared(x, y, options, Workers(3)));
  }
}

TEST(ExactWasserstein, RefusesWhatItCannotCompare) {
  const Matrix x = normal_cloud(4, 2, 1);
  Matrix bad = x;
  bad(2, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THAT([&] { exact(bad, x); }, ThrowsMessage<InvalidData>(HasSubstr("row 2, column 1")));
  EXPECT_THROW(exact(x, normal_cloud(4, 3, 1)), InvalidData);
  EXPECT_THROW(exact(Matrix(0, 2), x), InvalidData);
  EXPECT_THROW(exact_w2_squared(x, x, {.block = -1}, Workers(1)), InvalidOption);
  const std::vector<double> three(3, 1.0);
  const std::vector<double> negative = {1, 1, -1, 1};
  EXPECT_THROW(exact_w2_squared(x, three, x, three, Workers(1)), InvalidData);
  EXPECT_THROW(exact_w2_squared(x, negative, x, negative, Workers(1)), InvalidData);
}

}  // namespace exact_wasserstein_test
}  // namespace conflux

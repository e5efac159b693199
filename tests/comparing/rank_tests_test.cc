#include "comparing/rank_tests.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "core/rng.h"

namespace conflux {
namespace rank_tests_test {

std::vector<Index> in_turn(Index count, Index groups) {
  std::vector<Index> out;
  for (Index i = 0; i < count; ++i) out.push_back(i % groups);
  return out;
}

double test_of(Index count, Index groups, std::uint64_t seed,
               const std::function<double(double normal, Index group)>& value_of) {
  Stream stream(seed, Purpose::kTest);
  const std::vector<Index> group_of = in_turn(count, groups);
  std::vector<double> values;
  for (const Index m : group_of) values.push_back(value_of(stream.normal(), m));
  return rank_test(values, group_of, groups);
}

TEST(RankTests, SeeAShiftAScaleAndLopsidedness) {
  EXPECT_LT(test_of(400, 2, 1, [](double z, Index m) { return z + 0.6 * static_cast<double>(m); }),
            1e-4);
  EXPECT_LT(test_of(400, 2, 2, [](double z, Index m) { return m == 0 ? z : 2 * z; }), 1e-4);
  // Both have mean 0 and deviation 1.
  const auto lopsided = [](double z, Index m) { return m == 0 ? z : (z * z - 1) / std::sqrt(2.0); };
  EXPECT_LT(test_of(400, 2, 3, lopsided), 1e-4);
  EXPECT_LT(test_of(600, 3, 4, [](double z, Index m) { return m == 2 ? z + 0.6 : z; }), 1e-4);
}

// p-values of equal groups are even on (0, 1): also with heavy tails, ties and unequal groups.
TEST(RankTests, AreAsOftenWrongAsTheySay) {
  const std::vector<std::function<double(double, Index)>> laws = {
      [](double z, Index) { return z; }, [](double z, Index) { return std::tan(z); },
      [](double z, Index) { return std::round(z); }, [](double z, Index) { return z > 1 ? z : 0; }};
  // Few rows of the last differ from 0; the bound for such features is never reached here.
  for (const auto& law : laws) {
    Index below = 0;
    constexpr Index kPermutations = 400;
    for (std::uint64_t seed = 0; seed < kPermutations; ++seed) {
      below += test_of(90, 3, 1000 + seed, law) <= 0.1 ? 1 : 0;
    }
    const double rate = static_cast<double>(below) / kPermutations;
    EXPECT_LT(rate, 0.15);
    EXPECT_TRUE(&law == &laws.back() || rate > 0.05) << rate;
  }
}

// Three of a thousand rows differ, and all of them are in a small group by accident: the chi-square
// law would give 1e-8 where the truth is 1e-3.
TEST(RankTests, AreNotFooledByRareValues) {
  std::vector<double> values(1000, 0.0);
  std::vector<Index> group_of(1000, 0);
  for (Index i = 0; i < 100; ++i) group_of[i] = 1;
  for (Index i = 0; i < 3; ++i) values[i] = 1;
  EXPECT_GT(rank_test(values, group_of, 2), 1e-3);
  for (Index i = 0; i < 30; ++i) values[i] = 1;
  EXPECT_LT(rank_test(values, group_of, 2), 1e-6);
}

TEST(RankTests, FindNothingInAConstant) {
  const std::vector<double> values(50, 3.0);
  EXPECT_EQ(rank_test(values, in_turn(50, 2), 2), 1);
}

TEST(RankTests, AreBlindToIncreasingMaps) {
  const auto plain = [](double z, Index m) { return z + 0.2 * static_cast<double>(m); };
  const auto mapped = [](double z, Index m) {
    return std::exp(3 * (z + 0.2 * static_cast<double>(m)));
  };
  EXPECT_EQ(test_of(200, 2, 5, plain), test_of(200, 2, 5, mapped));
}

TEST(RankTests, AdjustForTheNumberOfTests) {
  const std::vector<double> p = {0.01, 0.5, 0.02, 0.9};
  const std::vector<double> rates = false_discovery_rates(p);
  EXPECT_NEAR(rates[0], 0.04, 1e-15);
  EXPECT_NEAR(rates[2], 0.04, 1e-15);
  EXPECT_NEAR(rates[1], 0.5 * 4 / 3, 1e-15);
  EXPECT_NEAR(rates[3], 0.9, 1e-15);
}

}  // namespace rank_tests_test
}  // namespace conflux

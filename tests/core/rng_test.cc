#include "core/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace conflux {
namespace rng_test {

TEST(Stream, IsNamedBySeedPurposeAndNumbers) {
  std::set<std::uint32_t> first_words;
  for (std::uint64_t seed : {0, 1}) {
    for (const Purpose purpose : {Purpose::kSplit, Purpose::kDirections}) {
      for (std::uint64_t a : {0, 1, 2}) {
        for (std::uint64_t b : {0, 1}) {
          first_words.insert(Stream(seed, purpose, a, b).bits());
        }
      }
    }
  }
  EXPECT_EQ(first_words.size(), 24u);
  EXPECT_EQ(Stream(5, Purpose::kTest, 2).bits(), Stream(5, Purpose::kTest, 2).bits());
}

// 200,000 draws: the standard error of each moment is below 0.005, so 5 of them is 0.025.
TEST(Stream, NormalNumbersHaveTheMomentsOfTheNormalLaw) {
  Stream stream(0, Purpose::kTest);
  const int n = 200000;
  double sum = 0, squares = 0, fourth = 0;
  for (int i = 0; i < n; ++i) {
    const double x = stream.normal();
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / n, 0, 0.012);
  EXPECT_NEAR(squares / n, 1, 0.016);
  EXPECT_NEAR(fourth / n, 3, 0.11);
}

TEST(Stream, UniformNumbersStayInsideTheOpenInterval) {
  Stream stream(0, Purpose::kTest);
  double smallest = 1, largest = 0;
  for (int i = 0; i < 100000; ++i) {
    const double u = stream.uniform();
    smallest = std::min(smallest, u);
    largest = std::max(largest, u);
  }
  EXPECT_GT(smallest, 0);
  EXPECT_LT(smallest, 1e-3);
  EXPECT_LT(largest, 1);
  EXPECT_GT(largest, 1 - 1e-3);
}

TEST(Stream, PermutationHoldsEachNumberOnce) {
  std::vector<Index> order = Stream(3, Purpose::kTest).permutation(1000);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (Index i = 0; i < 1000; ++i) EXPECT_EQ(order[i], i);
}

// Few numbers of a long order need no list of all.
TEST(Stream, StartOfAPermutationIsItsStart) {
  for (const Index n : {0, 1, 2, 5, 33, 64, 999, 1000}) {
    for (const Index count : {0, 1, 2, 3, 20, 60}) {
      if (count > n) continue;
      std::vector<Index> start = Stream(7, Purpose::kTest, n).permutation(n);
      start.resize(static_cast<std::size_t>(count));
      EXPECT_EQ(Stream(7, Purpose::kTest, n).start_of_permutation(n, count), start);
    }
  }
}

}  // namespace rng_test
}  // namespace conflux

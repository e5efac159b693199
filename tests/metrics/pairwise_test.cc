#include <gtest/gtest.h>

#include <vector>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "tests/metrics/clouds.h"

namespace conflux {
namespace pairwise_test {

TEST(Pairwise, AveragesOverOrderedPairsOfDifferentGroups) {
  for (const Index groups : {2, 3, 10}) {
    const Pairwise ones = pairwise(groups, [](Index, Index) { return 1.0; });
    EXPECT_EQ(ones.mean, 1) << groups << " groups";
  }
}

TEST(Pairwise, KeepsTheOrderOfItsArgumentsAndSkipsTheDiagonal) {
  const Pairwise found = pairwise(3, [](Index m, Index other) {
    EXPECT_NE(m, other);
    return static_cast<double>(10 * m + other);
  });
  Matrix expected(3, 3);
  expected << 0, 1, 2, 10, 0, 12, 20, 21, 0;
  EXPECT_EQ(found.values, expected);
  EXPECT_DOUBLE_EQ(found.mean, 11);
}

TEST(Pairwise, MeasuresGivenClouds) {
  const Matrix a = column({0});
  const Matrix b = column({1, 1});
  const Matrix c = column({3});
  const std::vector<ConstRows> clouds = {a, b, c};
  const Pairwise found = pairwise(
      clouds, [](ConstRows x, ConstRows y) { return exact_w2_squared(x, y, {}, Workers(1)); });
  EXPECT_DOUBLE_EQ(found.values(0, 2), 9);
  EXPECT_DOUBLE_EQ(found.values(2, 1), 4);
  EXPECT_DOUBLE_EQ(found.mean, (1 + 9 + 4) / 3.0);
}

TEST(Pairwise, NeedsTwoGroups) {
  EXPECT_THROW(pairwise(1, [](Index, Index) { return 0.0; }), InvalidData);
}

}  // namespace pairwise_test
}  // namespace conflux

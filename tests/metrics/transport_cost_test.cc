#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conflux/core/error.h"
#include "conflux/metrics/moves.h"
#include "tests/metrics/clouds.h"

namespace conflux {
namespace transport_cost_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double kRounding = 1e-13;

TEST(TransportCost, OfATranslationIsItsSquaredLength) {
  const Matrix x = normal_cloud(1000, 3, 1);
  const Matrix moved = x.rowwise() + Eigen::RowVector3d(3, 0, -4);
  EXPECT_NEAR(transport_cost(x, moved, Workers(2)), 25, 25 * kRounding);
  EXPECT_EQ(transport_cost(x, x, Workers(2)), 0);
}

TEST(TransportCost, CountsRowsByTheirWeights) {
  const std::vector<double> weights = {3, 1};
  EXPECT_EQ(transport_cost(column({0, 0}), column({1, 5}), Workers(1), weights), 7);
}

TEST(TransportCost, AveragesGroupsOfDifferentSizesByTheirGroupWeights) {
  const Matrix a = column({0, 0});
  const Matrix a_moved = column({1, 3});  // mean square 5
  const Matrix b = column({2});
  const Matrix b_moved = column({4});  // 4
  const std::vector<ConstRows> from = {a, b};
  const std::vector<ConstRows> to = {a_moved, b_moved};
  const std::vector<double> weights = {1, 3};
  EXPECT_DOUBLE_EQ(transport_cost(from, to, Workers(1)), 4.5);
  EXPECT_DOUBLE_EQ(transport_cost(from, to, Workers(1), weights), 4.25);

  GroupSet before;
  before.add("a", a);
  before.add("b", b);
  GroupSet after;
  after.add("a", a_moved);
  after.add("b", b_moved);
  EXPECT_DOUBLE_EQ(transport_cost(before, after, Workers(1), weights), 4.25);
}

TEST(TransportCost, OneThreadGivesTheBitsOfThree) {
  const Matrix x = normal_cloud(3000, 7, 1);
  const Matrix y = normal_cloud(3000, 7, 2);
  EXPECT_EQ(transport_cost(x, y, Workers(1)), transport_cost(x, y, Workers(3)));
}

TEST(TransportCost, RefusesCloudsThatAreNotPaired) {
  const Matrix x = normal_cloud(4, 2, 1);
  EXPECT_THROW(transport_cost(x, normal_cloud(5, 2, 1), Workers(1)), InvalidData);
  EXPECT_THROW(transport_cost(x, normal_cloud(4, 3, 1), Workers(1)), InvalidData);
  EXPECT_THROW(transport_cost(Matrix(0, 2), Matrix(0, 2), Workers(1)), InvalidData);
  const std::vector<ConstRows> one = {x};
  const std::vector<ConstRows> two = {x, x};
  EXPECT_THROW(transport_cost(one, two, Workers(1)), InvalidData);
  const std::vector<double> zeros = {0, 0};
  EXPECT_THAT([&] { transport_cost(two, two, Workers(1), zeros); },
              ThrowsMessage<InvalidData>(HasSubstr("must be positive")));
  GroupSet before;
  before.add("a", x);
  GroupSet after;
  after.add("b", x);
  EXPECT_THROW(transport_cost(before, after, Workers(1)), InvalidData);
}

}  // namespace transport_cost_test
}  // namespace conflux

#include "flow/knot_reach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "flow/conditional_layer.h"
#include "flow/coordinate_layer.h"

namespace conflux {
namespace knot_reach_test {

using testing::ElementsAre;

// Knots from 0 to 1.
MonotoneMap with_knots() { return PiecewiseLinearMap({0, 0.5, 1}, {0, 0.5, 1}); }

Flow flow_of(std::vector<std::vector<MonotoneMap>> maps) {
  Flow out({"a", "b"}, 2);
  out.append(std::make_shared<CoordinateLayer>(std::move(maps)));
  return out;
}

// Edges belong to what was seen; NaN stands for a missing cell, which lies nowhere.
TEST(KnotReach, CountsMapsBeyondWhoseKnotsARowLies) {
  const Flow flow = flow_of({{with_knots(), with_knots()}, {with_knots(), with_knots()}});
  Matrix rows(4, 2);
  rows << 0.5, 1, 1.5, 0.2, -1, 7, std::nan(""), 3;
  const KnotReach found = knot_reach(flow, 0, SampleRows(rows), Workers(1));
  EXPECT_EQ(found.maps, 2);
  EXPECT_THAT(found.beyond, ElementsAre(0, 0.5, 1, 0.5));
}

// Rows pass different numbers of maps with knots. Once the first row of a block was counted for
// all: where it met none, all others of its block seemed to lie beyond everything.
TEST(KnotReach, CountsEveryRowByItself) {
  const PiecewiseLinearMap knots({0, 1}, {0, 1});
  Flow flow({"a"}, 2);
  for (int layer = 0; layer < 4; ++layer) {
    flow.append(std::make_shared<ConditionalLayer>(
        2, 1, std::vector<ConditionalLayer::Node>{{0, 0.5, -1, -2}},
        std::vector<std::vector<PiecewiseLinearMap>>{{PiecewiseLinearMap(), knots}},
        std::vector<ConditionalLayer::Barycenter>(2)));
  }
  Matrix rows = Matrix::Constant(600, 2, 0.7);
  rows.col(0).head(300).setZero();  // the leaf that moves nothing
  rows(599, 1) = 2;
  const KnotReach found = knot_reach(flow, 0, SampleRows(rows), Workers(2));
  EXPECT_EQ(found.maps, 4);
  EXPECT_EQ(std::count(found.beyond.begin(), found.beyond.end(), 0.0), 599);
  EXPECT_EQ(found.beyond.back(), 1);
}

TEST(KnotReach, OneRowInAHundredPassesTheMeasure) {
  std::vector<double> shares(201, 0.1);
  shares[3] = shares[100] = 0.9;
  EXPECT_EQ(most_beyond(shares), 0.1);
  shares[150] = 0.5;
  EXPECT_EQ(most_beyond(shares), 0.5);
  EXPECT_EQ(most_beyond({}), 0);
}

}  // namespace knot_reach_test
}  // namespace conflux

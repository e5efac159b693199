#include "fitting/map_detail.h"

#include <gtest/gtest.h>

namespace conflux {
namespace map_detail_test {

double image(const PiecewiseLinearMap& map, double x) {
  map.forward(std::span(&x, 1), nullptr);
  return x;
}

TEST(MapDetail, MomentsMeetAtFullStrength) {
  const ValueMoments from{.mean = 3, .deviation = 2}, to{.mean = -1, .deviation = 1};
  const PiecewiseLinearMap scaled = map_of_moments(MapDetail::kScale, from, to, 1);
  EXPECT_DOUBLE_EQ(image(scaled, 3), -1);
  EXPECT_DOUBLE_EQ(image(scaled, 5), 0);
  const PiecewiseLinearMap shifted = map_of_moments(MapDetail::kShift, from, to, 1);
  EXPECT_DOUBLE_EQ(image(shifted, 5), 1);
  EXPECT_DOUBLE_EQ(image(map_of_moments(MapDetail::kNone, from, to, 1), 5), 5);
  EXPECT_DOUBLE_EQ(image(map_of_moments(MapDetail::kShift, from, to, 0.25), 3), 2);
}

// A deviation of nothing, or of a thousandth, would make a map that cannot be inverted.
TEST(MapDetail, ScalesStayInvertible) {
  for (const double deviation : {0.0, 1e-3, 1e3}) {
    const PiecewiseLinearMap map =
        map_of_moments(MapDetail::kScale, {.mean = 0, .deviation = 1}, {0, deviation}, 1);
    double x = 0.5;
    map.forward(std::span(&x, 1), nullptr);
    map.inverse(std::span(&x, 1), nullptr);
    EXPECT_NEAR(x, 0.5, 1e-12) << deviation;
  }
}

TEST(MapDetail, UnseenRowsRefuseDetailThatDoesHarm) {
  EXPECT_EQ(best_detail({{1.0, 1.5, 1.6, 1.7}}), MapDetail::kNone);
  EXPECT_EQ(best_detail({{2.0, 1.0, 1.3, 1.4}}), MapDetail::kShift);
  EXPECT_EQ(best_detail({{2.0, 1.0, 0.9, 0.5}}), MapDetail::kBend);
  // All kinds decide together, and one that tells nothing does not count.
  EXPECT_EQ(best_detail({{2.0, 1.0, 1.5, 1.5}, {0, 0, 0, 0}, {2.0, 1.1, 0.9, 1.2}}),
            MapDetail::kShift);
  EXPECT_EQ(best_detail({{0, 0, 0, 0}}), MapDetail::kBend);
}

}  // namespace map_detail_test
}  // namespace conflux

#include "core/finite.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace conflux {
namespace finite_test {

using Limits = std::numeric_limits<double>;

// Signs, the largest and the smallest numbers have the bits next to those that are looked at.
TEST(AllFinite, HoldsForEveryFiniteNumber) {
  const std::vector<double> values = {
      0.0,           -0.0,           Limits::max(),        -Limits::max(),
      Limits::min(), -Limits::min(), Limits::denorm_min(), 1.5};
  EXPECT_TRUE(all_finite(values.data(), static_cast<Index>(values.size())));
  EXPECT_TRUE(all_finite(nullptr, 0));
}

TEST(AllFinite, FindsOneBadNumberInAnyPlace) {
  for (const double bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                           -Limits::quiet_NaN(), Limits::signaling_NaN()}) {
    for (std::size_t place = 0; place < 9; ++place) {
      std::vector<double> values(9, 1.0);
      values[place] = bad;
      EXPECT_FALSE(all_finite(values.data(), 9)) << bad << " at " << place;
    }
  }
}

}  // namespace finite_test
}  // namespace conflux

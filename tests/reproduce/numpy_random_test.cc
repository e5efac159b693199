#include "reproduce/numpy_random.h"

#include <gtest/gtest.h>

namespace conflux::app {
namespace numpy_random_test {

// Printed by numpy 1.24: RandomState(0).random_sample(3), then permutation(10).
TEST(NumpyRandom, DrawsWhatNumpyDraws) {
  NumpyRandom random(0);
  EXPECT_EQ(random.uniform(), 0.5488135039273248);
  EXPECT_EQ(random.uniform(), 0.7151893663724195);
  EXPECT_EQ(random.uniform(), 0.6027633760716439);
  EXPECT_EQ(random.permutation(10), (std::vector<Index>{8, 6, 4, 0, 2, 5, 9, 1, 7, 3}));
}

TEST(NumpyRandom, SkippedNumbersAreThoseThatWouldHaveBeenDrawn) {
  NumpyRandom drawn(7), skipped(7);
  for (int i = 0; i < 1000; ++i) drawn.uniform();
  skipped.skip_uniform(1000);
  EXPECT_EQ(drawn.permutation(50), skipped.permutation(50));
}

// Bounds just below and at powers of two have masks of different lengths.
TEST(NumpyRandom, PermutationsHoldEveryNumberOnce) {
  for (const Index n : {0, 1, 2, 3, 4, 5, 255, 256, 257}) {
    std::vector<bool> seen(static_cast<std::size_t>(n), false);
    for (const Index i : NumpyRandom(3).permutation(n)) {
      ASSERT_FALSE(seen.at(static_cast<std::size_t>(i)));
      seen[static_cast<std::size_t>(i)] = true;
    }
  }
}

}  // namespace numpy_random_test
}  // namespace conflux::app

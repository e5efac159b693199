#include "training/memory.h"

#include <gtest/gtest.h>

namespace conflux {
namespace memory_test {

DataShape shape(Index dim, Index rows) {
  return {.dim = dim, .group_names = {"a", "b"}, .group_sizes = {rows, rows}};
}

// 60 rows of 10000 features are 10 MB, the program 35; the covariances of GB are 0.8 GB each.
TEST(MemoryNeeded, CountsMatricesOfAllPairsOfFeatures) {
  const double nb = memory_needed(shape(10000, 30), false, {.method = Method::kNb});
  const double inb = memory_needed(shape(10000, 30), false, {});
  const double gb = memory_needed(shape(10000, 30), false, {.method = Method::kGb});
  const double dd = memory_needed(shape(10000, 30), false, {.method = Method::kDd});
  EXPECT_LT(nb, 6e7);
  EXPECT_LT(inb, 1e9);
  EXPECT_GT(gb, 5e9);
  EXPECT_GT(dd, gb);
}

TEST(MemoryNeeded, GrowsWithTheRowsAndIsLessInSinglePrecision) {
  const double few = memory_needed(shape(10, 1000), false, {});
  const double many = memory_needed(shape(10, 1000000), false, {});
  // A number of doubles is held twice.
  EXPECT_GT(many - few, 999'000.0 * 2 * 10 * 16);
  EXPECT_LT(memory_needed(shape(10, 1000000), true, {}), 0.55 * many);
}

}  // namespace memory_test
}  // namespace conflux

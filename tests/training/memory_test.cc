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

// Only values on a line remain in memory, however many features there are.
TEST(MemoryNeeded, DoesNotGrowWithTheFeaturesOfRowsOnDisk) {
  FitOptions inb{.method = Method::kInb, .layers = 1, .threads = 2};
  inb.gate = Gating::kNone;
  const double narrow = memory_needed_on_disk(shape(10, 1000000), true, inb);
  const double wide = memory_needed_on_disk(shape(100, 1000000), true, inb);
  EXPECT_LT(wide, 1.05 * narrow);
  EXPECT_LT(4 * wide, memory_needed(shape(100, 1000000), true, inb));
  // Few layers write no rows to disk, only their lines.
  EXPECT_LT(scratch_needed(shape(100, 1000000), true, inb), 2e6 * 20 * sizeof(float));
  inb.layers = 9;
  EXPECT_GE(scratch_needed(shape(100, 1000000), true, inb), 2e6 * 100 * sizeof(float));
}

TEST(MemoryNeeded, RowsStayOnDiskOnlyForLayersThatWalkThroughThem) {
  EXPECT_TRUE(can_use_scratch({.method = Method::kNb}));
  EXPECT_TRUE(can_use_scratch({.method = Method::kGb}));
  EXPECT_TRUE(can_use_scratch({.method = Method::kInb, .gate = Gating::kNone}));
  EXPECT_FALSE(can_use_scratch({.method = Method::kInb}));
  for (const Method other : {Method::kAuto, Method::kTree, Method::kDd, Method::kConditional}) {
    EXPECT_FALSE(can_use_scratch({.method = other, .gate = Gating::kNone}));
  }
  EXPECT_EQ(methods_with_scratch(), "nb, inb, rand-nb, nb-inb, nb-rand-nb, gb, gb-inb, sinf");
}

}  // namespace memory_test
}  // namespace conflux

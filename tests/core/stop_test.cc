#include "core/stop.h"

#include <gtest/gtest.h>

#include "conflux/core/parallel.h"

namespace conflux {
namespace stop_test {

TEST(Stop, WorkersHandOutNothingOnceTheFlagIsSet) {
  const Workers workers(2);
  std::atomic<bool> flag = false;
  const StopScope scope(flag);
  std::atomic<int> runs = 0;
  workers.for_each(10, [&](Index) { ++runs; });
  EXPECT_EQ(runs, 10);
  flag = true;
  EXPECT_THROW(workers.for_each(10, [&](Index) { ++runs; }), Stopped);
  EXPECT_THROW(Workers(1).for_each(10, [&](Index) { ++runs; }), Stopped);
  EXPECT_EQ(runs, 10);
}

// The work of tidying up, such as writing a checkpoint, begins after the scope.
TEST(Stop, TheFlagCountsWithinItsScopeOnly) {
  std::atomic<bool> flag = true;
  { const StopScope scope(flag); }
  EXPECT_NO_THROW(Workers(2).for_each(10, [](Index) {}));
}

}  // namespace stop_test
}  // namespace conflux

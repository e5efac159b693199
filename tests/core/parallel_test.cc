#include "conflux/core/parallel.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "conflux/core/error.h"

namespace conflux {
namespace parallel_test {

class WorkersTest : public testing::TestWithParam<int> {};

TEST_P(WorkersTest, EveryTaskRunsOnce) {
  const Workers workers(GetParam());
  std::vector<int> runs(1000, 0);
  workers.for_each(1000, [&](Index i) { ++runs[i]; });
  EXPECT_EQ(runs, std::vector<int>(1000, 1));
}

TEST_P(WorkersTest, BlocksCoverTheRangeAndDoNotDependOnThreads) {
  const Workers workers(GetParam());
  std::vector<Index> block_begin(103, -1);
  workers.for_each_block(103, 10, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) block_begin[i] = begin;
  });
  for (Index i = 0; i < 103; ++i) EXPECT_EQ(block_begin[i], i / 10 * 10);
}

TEST_P(WorkersTest, ExceptionOfATaskReachesTheCaller) {
  const Workers workers(GetParam());
  EXPECT_THROW(workers.for_each(50,
                                [](Index i) {
                                  if (i == 17) throw std::runtime_error("seventeen");
                                }),
               std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(Threads, WorkersTest, testing::Values(0, 1, 2, 3));

TEST(Workers, NegativeThreadsAreRefused) { EXPECT_THROW(Workers(-1), InvalidOption); }

}  // namespace parallel_test
}  // namespace conflux

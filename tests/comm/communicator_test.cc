#include "conflux/comm/communicator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <mutex>
#include <numeric>

#include "tests/support/thread_communicator.h"

namespace conflux {
namespace communicator_test {

using testing::ElementsAre;

// Laws of every communicator; a case says how many ranks run it, and how.
struct Ranks {
  const char* name;
  Index size;
  std::function<void(const std::function<void(Communicator&)>&)> run;
};

Ranks one_process() {
  return {"Self", 1, [](const auto& task) {
            SelfCommunicator comm;
            task(comm);
          }};
}

Ranks threads(const char* name, Index size) {
  return {name, size, [size](const auto& task) { run_ranks(size, task); }};
}

class CommunicatorTest : public testing::TestWithParam<Ranks> {
 protected:
  // Results of all ranks, in order of rank.
  std::vector<std::vector<double>> on_all_ranks(
      const std::function<std::vector<double>(Communicator&)>& task) const {
    std::vector<std::vector<double>> seen(static_cast<std::size_t>(GetParam().size));
    std::mutex mutex;
    GetParam().run([&](Communicator& comm) {
      std::vector<double> mine = task(comm);
      const std::lock_guard lock(mutex);
      seen[static_cast<std::size_t>(comm.rank())] = std::move(mine);
    });
    return seen;
  }

  void expect_on_all_ranks(const std::vector<double>& expected,
                           const std::function<std::vector<double>(Communicator&)>& task) const {
    for (const auto& seen : on_all_ranks(task)) EXPECT_EQ(seen, expected);
  }

  double size() const { return static_cast<double>(GetParam().size); }
};

std::vector<double> rank_plus(const Communicator& comm, std::vector<double> values) {
  for (double& value : values) value += static_cast<double>(comm.rank());
  return values;
}

TEST_P(CommunicatorTest, EveryRankIsThereOnceAndKnowsTheSize) {
  const auto seen = on_all_ranks([&](Communicator& comm) {
    EXPECT_EQ(comm.size(), GetParam().size);
    return std::vector<double>{static_cast<double>(comm.rank())};
  });
  for (std::size_t r = 0; r < seen.size(); ++r) EXPECT_THAT(seen[r], ElementsAre(r));
}

TEST_P(CommunicatorTest, SumAddsEntryByEntry) {
  const double ranks = size() * (size() - 1) / 2;
  expect_on_all_ranks({ranks, ranks + 10 * size(), ranks - 5 * size()}, [](Communicator& comm) {
    std::vector<double> values = rank_plus(comm, {0, 10, -5});
    comm.sum(values);
    return values;
  });
  expect_on_all_ranks({3 * size()},
                      [](Communicator& comm) { return std::vector<double>{comm.sum(3.0)}; });
}

TEST_P(CommunicatorTest, MinAndMaxTakeEachEntryFromWhicheverRankHasIt) {
  const double last = size() - 1;
  // One entry grows with the rank, the other falls.
  const auto values_of = [](const Communicator& comm) {
    const auto rank = static_cast<double>(comm.rank());
    return std::vector<double>{rank, -rank};
  };
  expect_on_all_ranks({0, -last}, [&](Communicator& comm) {
    auto values = values_of(comm);
    comm.min(values);
    return values;
  });
  expect_on_all_ranks({last, 0}, [&](Communicator& comm) {
    auto values = values_of(comm);
    comm.max(values);
    return values;
  });
}

TEST_P(CommunicatorTest, BroadcastGivesTheValuesOfAnyRoot) {
  for (Index root = 0; root < GetParam().size; ++root) {
    const auto r = static_cast<double>(root);
    expect_on_all_ranks({r + 0.5, r - 1e300}, [&](Communicator& comm) {
      std::vector<double> values = rank_plus(comm, {0.5, -1e300});
      comm.broadcast(values, root);
      return values;
    });
  }
}

// Rank r gives r numbers, so the first gives none: lengths must travel with the values.
TEST_P(CommunicatorTest, GatherJoinsUnequalLengthsInOrderOfRank) {
  std::vector<double> expected;
  for (Index r = 0; r < GetParam().size; ++r) {
    for (Index i = 0; i < r; ++i) expected.push_back(static_cast<double>(100 * r + i));
  }
  expect_on_all_ranks(expected, [](Communicator& comm) {
    std::vector<double> mine(static_cast<std::size_t>(comm.rank()));
    std::iota(mine.begin(), mine.end(), 100.0 * static_cast<double>(comm.rank()));
    return comm.gather(mine);
  });
  expect_on_all_ranks({}, [](Communicator& comm) { return comm.gather({}); });
}

TEST_P(CommunicatorTest, EmptyArraysPass) {
  expect_on_all_ranks({}, [](Communicator& comm) {
    std::vector<double> none;
    comm.sum(none);
    comm.min(none);
    comm.max(none);
    comm.broadcast(none, 0);
    return none;
  });
}

// Sums of such numbers depend on their order; a reduction along a tree that differs by rank would
// give neighbors that differ in the last digit, and a fit that falls apart.
TEST_P(CommunicatorTest, AllRanksSeeTheSameBits) {
  const auto seen = on_all_ranks([](Communicator& comm) {
    std::vector<double> values(1000);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::pow(-1.7, static_cast<double>((i + 7 * comm.rank()) % 60)) / 3;
    }
    comm.sum(values);
    return values;
  });
  for (const auto& values : seen) EXPECT_EQ(values, seen.front());
}

// A rank that runs ahead must not overwrite what a slow one has yet to read.
TEST_P(CommunicatorTest, ManyCallsInARowDoNotMix) {
  expect_on_all_ranks({500 * size()}, [](Communicator& comm) {
    double total = 0;
    for (Index i = 0; i < 500; ++i) {
      const auto x = static_cast<double>(i);
      if (comm.sum(x) == x * static_cast<double>(comm.size())) {
        total += static_cast<double>(comm.gather(std::vector<double>(1, x)).size());
      }
    }
    return std::vector<double>{total};
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, CommunicatorTest,
                         testing::Values(one_process(), threads("OneThread", 1),
                                         threads("TwoThreads", 2), threads("ThreeThreads", 3)),
                         [](const auto& instance) { return instance.param.name; });

// Tests of a distributed fit lean on this: an error must end the test, not hang it.
TEST(ThreadCommunicator, ErrorOfOneRankEndsAll) {
  EXPECT_THROW(run_ranks(3,
                         [](Communicator& comm) {
                           if (comm.rank() == 1) throw std::domain_error("rank 1");
                           comm.sum(1.0);
                         }),
               std::domain_error);
}

TEST(ThreadCommunicator, RanksThatCallDifferentThingsAreFound) {
  EXPECT_THROW(run_ranks(2,
                         [](Communicator& comm) {
                           if (comm.rank() == 0) comm.sum(1.0);
                         }),
               ThreadCommunicator::Abandoned);
  EXPECT_THROW(run_ranks(2,
                         [](Communicator& comm) {
                           std::vector<double> one(1);
                           comm.rank() == 0 ? comm.sum(one) : comm.max(one);
                         }),
               ThreadCommunicator::Abandoned);
}

}  // namespace communicator_test
}  // namespace conflux

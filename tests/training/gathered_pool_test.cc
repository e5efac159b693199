// Rows that are spread over processes give the bits of one process that has them all.

#include "training/gathered_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "conflux/core/error.h"
#include "conflux/toys/toy.h"
#include "conflux/training/fit.h"
#include "core/rng.h"
#include "core/take_rows.h"
#include "options/option_table.h"
#include "tests/support/thread_communicator.h"
#include "training/pool_draw.h"

namespace conflux {
namespace gathered_pool_test {

using testing::HasSubstr;

// Shares of the rows that each of some processes holds: the cuts are anywhere, and the first
// process has no row of group 0 if there are three.
GroupSet part_of(const GroupSet& groups, Index rank, Index size) {
  const std::vector<std::vector<double>> cuts = {
      {0, 1}, {0, 0.75, 1}, {0, 0.07, 0.9, 1}, {0, 0.3, 0.3, 0.31, 1}};
  const std::vector<double>& cut = cuts[static_cast<std::size_t>(size - 1)];
  std::vector<std::vector<Index>> rows;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const auto count = static_cast<double>(groups[m].rows.rows());
    const bool none = m == 0 && size == 3;
    const double from = none && rank <= 1 ? 0 : cut[static_cast<std::size_t>(rank)];
    const double to = none && rank == 0 ? 0 : cut[static_cast<std::size_t>(rank + 1)];
    auto& own = rows.emplace_back();
    for (auto i = static_cast<Index>(from * count); i < static_cast<Index>(to * count); ++i) {
      own.push_back(i);
    }
  }
  return take_rows(groups, rows);
}

GroupSet labeled_groups() {
  GroupSet out;
  std::vector<std::vector<Index>> labels;
  for (Index m = 0; m < 3; ++m) {
    Stream stream(3, Purpose::kTest, static_cast<std::uint64_t>(m));
    Matrix rows = stream.normal_matrix(400 + 50 * m, 4);
    auto& of_group = labels.emplace_back();
    for (Index i = 0; i < rows.rows(); ++i) {
      of_group.push_back(i % 97 == 0 ? 2 : i % 2);
      rows(i, 0) += static_cast<double>(m) + 4 * static_cast<double>(of_group.back());
    }
    out.add(std::string(1, static_cast<char>('a' + m)), std::move(rows));
  }
  out.set_feature_names({"p", "q", "r", "s"});
  out.set_labels({"one", "rare", "two"}, std::move(labels));
  return out;
}

void expect_bits_of_one_process(const GroupSet& groups, const FitOptions& options, Index size) {
  const Fit alone = fit_flow(groups, options);
  std::vector<Fit> fits(static_cast<std::size_t>(size));
  run_ranks(size, [&](Communicator& comm) {
    fits[static_cast<std::size_t>(comm.rank())] =
        fit_flow(part_of(groups, comm.rank(), size), options, comm, {});
  });
  SCOPED_TRACE(std::string(name_of(options.method)) + ", " + std::to_string(size) + " processes");
  for (const Fit& fit : fits) {
    EXPECT_EQ(fit.record.group_sizes, alone.record.group_sizes);
    EXPECT_EQ(fit.record.given_sizes, alone.record.given_sizes);
    EXPECT_EQ(fit.flow.group_names(), alone.flow.group_names());
    for (Index m = 0; m < 3; ++m) {
      EXPECT_EQ(fit.flow.forward(m, groups[m].rows, Workers(1)),
                alone.flow.forward(m, groups[m].rows, Workers(1)));
    }
  }
}

FitOptions options_of(Method method, Gating gate) {
  FitOptions options;
  options.method = method;
  options.gate = gate;
  options.threads = 1;
  options.fit_rows = 150;
  options.layers = method_info(method).one_layer() ? 1 : 3;
  return without_ignored(options);
}

// The law: 1, 2, 3 and 4 processes, uneven cuts, some without rows, give the same bits.
TEST(Processes, GiveTheSameBitsHoweverManyTheyAre) {
  const GroupSet groups = labeled_groups();
  for (const Gating gate : {Gating::kNone, Gating::kLabel, Gating::kClusters}) {
    for (Index size = 2; size <= 4; ++size) {
      expect_bits_of_one_process(groups, options_of(Method::kInb, gate), size);
    }
  }
}

TEST(Processes, GiveTheSameBitsByEveryMethod) {
  const GroupSet groups = labeled_groups();
  for (const MethodInfo& method : kMethods) {
    FitOptions options = options_of(method.id, Gating::kNone);
    if (method.id == Method::kCascade) options.layers.reset();
    expect_bits_of_one_process(groups, options, 3);
  }
}

TEST(Processes, ThePoolIsThatOfOneProcessInEitherPrecision) {
  GroupSet groups;
  for (Index m = 0; m < 2; ++m) {
    const Matrix rows =
        Stream(4, Purpose::kTest, static_cast<std::uint64_t>(m)).normal_matrix(90, 3);
    std::vector<double> masses;
    for (Index i = 0; i < 90; ++i) masses.push_back(static_cast<double>(i % 3));
    groups.add(m == 0 ? "a" : "b", SingleMatrix(rows.cast<float>()), std::move(masses));
  }
  const Pool one = draw_pool(groups, 20, 5);
  const GroupSet expected = take_rows(groups, one.fitted);
  run_ranks(3, [&](Communicator& comm) {
    const GatheredPool found = gather_pool(part_of(groups, comm.rank(), 3), 20, 5, comm);
    const GroupSet fitted = take_rows(found.groups, found.pool.fitted);
    EXPECT_EQ(found.pool.sizes, one.sizes);
    for (Index m = 0; m < 2; ++m) {
      ASSERT_TRUE(fitted[m].rows.single());
      EXPECT_EQ(fitted[m].rows.to_matrix(), expected[m].rows.to_matrix());
      EXPECT_TRUE(
          std::equal(fitted[m].masses.begin(), fitted[m].masses.end(), expected[m].masses.begin()));
      EXPECT_EQ(found.pool.next[m].size(), one.next[m].size());
    }
  });
}

// Ranks that met groups in another order, or not at all, must not mix them up.
TEST(Processes, AgreeOnNames) {
  run_ranks(2, [&](Communicator& comm) {
    const double mine = static_cast<double>(comm.rank());
    GroupSet groups;
    if (comm.rank() == 1) groups.add("only here", Matrix(Matrix::Constant(1, 2, 5)));
    groups.add(comm.rank() == 0 ? "x" : "y", Matrix(Matrix::Constant(2, 2, mine)));
    groups.add(comm.rank() == 0 ? "y" : "x", Matrix(Matrix::Constant(2, 2, -mine)));
    const GatheredPool found = gather_pool(groups, RowLimit(), 0, comm);
    EXPECT_THAT(found.groups.names(), testing::ElementsAre("x", "y", "only here"));
    EXPECT_EQ(found.groups[0].rows(3, 0), -1);
    EXPECT_EQ(found.groups[1].rows(3, 0), 1);
  });
}

// An error on one process must end all of them, with its message: others would wait forever.
std::string what_all_say(const std::function<void(Communicator&)>& task) {
  std::vector<std::string> said(3);
  run_ranks(3, [&](Communicator& comm) {
    try {
      task(comm);
    } catch (const Error& error) {
      said[static_cast<std::size_t>(comm.rank())] = error.what();
    }
  });
  EXPECT_EQ(said[0], said[1]);
  EXPECT_EQ(said[0], said[2]);
  return said[0];
}

TEST(Processes, AnErrorOfOneEndsAll) {
  const GroupSet groups = make_moons({.samples = 60});
  for (const RowLimit limit : {RowLimit(20), RowLimit()}) {
    EXPECT_THAT(what_all_say([&](Communicator& comm) {
                  const GroupSet mine = part_of(groups, comm.rank(), 3);
                  Matrix rows = mine[1].rows.to_matrix();
                  if (comm.rank() == 2) rows(0, 1) = std::numeric_limits<double>::quiet_NaN();
                  GroupSet wrong;
                  wrong.add("0", mine[0].rows.to_matrix());
                  wrong.add("1", std::move(rows));
                  FitOptions options;
                  options.fit_rows = limit;
                  fit_flow(wrong, options, comm, {});
                }),
                HasSubstr("process 2: group 1 (\"1\"): row 0, column 1 is nan"));
  }
  EXPECT_THAT(what_all_say([&](Communicator& comm) {
                FitOptions options;
                options.layers = comm.rank() == 1 ? 3 : 2;
                fit_flow(part_of(groups, comm.rank(), 3), options, comm, {});
              }),
              HasSubstr("layers is 3 on process 1 but 2 on process 0"));
  EXPECT_THAT(what_all_say([&](Communicator& comm) {
                GroupSet other;
                other.add("0", Matrix(Matrix::Zero(3, comm.rank() == 0 ? 2 : 4)));
                fit_flow(other, {}, comm, {});
              }),
              HasSubstr("process 1 has other features than the processes before it (4 columns"));
}

TEST(Processes, AllEndWhenOneWantsTo) {
  const GroupSet groups = make_moons({.samples = 60});
  FitOptions options;
  options.method = Method::kInb;
  options.layers = 9;
  run_ranks(2, [&](Communicator& comm) {
    LayerCallback stop;
    if (comm.rank() == 1) stop = [](const LayerRecord& record) { return record.layer < 2; };
    EXPECT_EQ(fit_flow(part_of(groups, comm.rank(), 2), options, comm, stop).record.layers.size(),
              3U);
  });
}

// Processes with more rows read fewer lines at a time; they would make more exchanges than others.
TEST(Processes, UnevenCutsOfAllRowsMakeTheSameExchanges) {
  const GroupSet groups = make_gaussian_groups(2, 40, 60'000, 1);
  FitOptions options;
  options.method = Method::kNb;
  options.threads = 1;
  options.fit_rows = RowLimit();
  run_ranks(3, [&](Communicator& comm) {
    EXPECT_NO_THROW(fit_flow(part_of(groups, comm.rank(), 3), options, comm, {}));
  });
}

}  // namespace gathered_pool_test
}  // namespace conflux

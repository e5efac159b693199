// Sites that keep their rows: what they tell each other, and what it is worth.

#include "training/row_free.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "conflux/toys/toy.h"
#include "tests/support/counting_communicator.h"
#include "tests/support/thread_communicator.h"

namespace conflux {
namespace row_free_test {

// Records every number that this process sends.
class RecordingCommunicator final : public Communicator {
 public:
  RecordingCommunicator(Communicator& comm, std::vector<double>& sent) : comm_(comm), sent_(sent) {}

  Index rank() const override { return comm_.rank(); }
  Index size() const override { return comm_.size(); }
  using Communicator::sum;
  void sum(std::span<double> values) override { comm_.sum(noted(values)); }
  void min(std::span<double> values) override { comm_.min(noted(values)); }
  void max(std::span<double> values) override { comm_.max(noted(values)); }
  void broadcast(std::span<double> values, Index root) override {
    comm_.broadcast(root == rank() ? noted(values) : values, root);
  }
  std::vector<double> gather(std::span<const double> values) override {
    return comm_.gather(noted(values));
  }

 private:
  template <class Values>
  Values noted(Values values) {
    sent_.insert(sent_.end(), values.begin(), values.end());
    return values;
  }

  Communicator& comm_;
  std::vector<double>& sent_;
};

GroupSet group_of(const GroupSet& groups, Index m) {
  GroupSet out;
  out.add(groups[m].name, Matrix(groups[m].rows.to_matrix()));
  return out;
}

FitOptions options_of(Method method, Index knots) {
  FitOptions options;
  options.method = method;
  options.knots = knots;
  options.threads = 1;
  options.fit_rows = RowLimit();
  return options;
}

// Every group on a process of its own; the numbers that each has sent go to `sent`.
std::vector<Flow> fit_at_sites(const GroupSet& groups, const FitOptions& options,
                               std::vector<std::vector<double>>* sent = nullptr) {
  std::vector<Flow> flows(static_cast<std::size_t>(groups.num_groups()));
  std::vector<std::vector<double>> all(flows.size());
  run_ranks(groups.num_groups(), [&](Communicator& comm) {
    RecordingCommunicator recording(comm, all[comm.rank()]);
    flows[comm.rank()] = fit_row_free(group_of(groups, comm.rank()), options, recording).flow;
  });
  if (sent != nullptr) *sent = std::move(all);
  return flows;
}

// Groups in the shared space, each by the flow of its site.
std::vector<Matrix> shared_rows(const GroupSet& groups, const std::vector<Flow>& flows) {
  std::vector<Matrix> out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    out.push_back(flows[m].forward(0, groups[m].rows, Workers(1)));
  }
  return out;
}

// Number of rows of which a number was sent unchanged.
Index count_told(const GroupSet& groups, Index m, const std::vector<double>& sent) {
  const std::set<double> known(sent.begin(), sent.end());
  Index out = 0;
  for (Index i = 0; i < groups[m].rows.rows(); ++i) {
    bool told = false;
    for (Index j = 0; j < groups.dim(); ++j) told = told || known.contains(groups[m].rows(i, j));
    out += told ? 1 : 0;
  }
  return out;
}

// Knots are means of rows of one group, whoever holds it.
TEST(RowFree, NbHasTheMapsOfOneProcess) {
  const GroupSet groups = make_gaussian_groups(3, 4, 600, 1);
  const FitOptions options = options_of(Method::kNb, 40);
  const std::vector<Matrix> shared = shared_rows(groups, fit_at_sites(groups, options));
  const Flow one = fit_flow(groups, options).flow;
  for (Index m = 0; m < 3; ++m) {
    const Matrix expected = one.forward(m, groups[m].rows, Workers(1));
    EXPECT_LT((shared[m] - expected).cwiseAbs().maxCoeff(), 1e-9);
  }
}

// Gradients of sums lead to directions as good as those that see the rows.
TEST(RowFree, InbAlignsAboutAsWellAsWithRows) {
  const GroupSet moons = make_moons({.samples = 500});
  FitOptions options = options_of(Method::kInb, 50);
  options.layers = 20;
  options.gate = Gating::kNone;
  options.validation_fraction = 0;
  const auto distance = [](const Matrix& a, const Matrix& b) {
    return exact_w2_squared(a, b, {}, Workers(1));
  };
  const std::vector<Matrix> shared = shared_rows(moons, fit_at_sites(moons, options));
  const Flow one = fit_flow(moons, options).flow;
  const double with_rows = distance(one.forward(0, moons[0].rows, Workers(1)),
                                    one.forward(1, moons[1].rows, Workers(1)));
  const double before = distance(moons[0].rows.to_matrix(), moons[1].rows.to_matrix());
  EXPECT_LT(distance(shared[0], shared[1]), 1.5 * with_rows);
  EXPECT_LT(distance(shared[0], shared[1]), 0.1 * before);
}

TEST(RowFree, NoNumberOfARowLeavesItsProcess) {
  const GroupSet groups = make_gaussian_groups(3, 4, 400, 2);
  for (const Method method :
       {Method::kNb, Method::kInb, Method::kRandNb, Method::kNbInb, Method::kNbRandNb}) {
    FitOptions options = options_of(method, 40);
    if (method != Method::kNb) options.layers = 4;
    std::vector<std::vector<double>> sent;
    fit_at_sites(groups, options, &sent);
    for (Index m = 0; m < 3; ++m) {
      EXPECT_GT(sent[m].size(), 100u);
      EXPECT_EQ(count_told(groups, m, sent[m]), 0);
    }
  }
}

Index count_exchanges(const GroupSet& groups, const FitOptions& options) {
  std::vector<Index> calls(static_cast<std::size_t>(groups.num_groups()), 0);
  run_ranks(groups.num_groups(), [&](Communicator& comm) {
    CountingCommunicator counting(comm);
    fit_row_free(group_of(groups, comm.rank()), options, counting);
    calls[comm.rank()] = counting.exchanges;
  });
  for (const Index each : calls) EXPECT_EQ(each, calls.front());
  return calls.front();
}

// Steps that gain nothing are tried again, shorter; groups that are alike have many of them.
TEST(RowFree, ALayerHasAtMostEightExchanges) {
  const auto of_a_layer = [](const GroupSet& groups, FitOptions options) {
    options.layers = 1;
    const Index one = count_exchanges(groups, options);
    options.layers = 21;
    return static_cast<double>(count_exchanges(groups, options) - one) / 20;
  };
  const GroupSet moons = make_moons({.samples = 500});
  const GroupSet alike = make_gaussian_groups(2, 3, 400, 1);
  for (const bool polar : {true, false}) {
    FitOptions options = options_of(Method::kInb, 40);
    options.polar_steps = polar;
    EXPECT_LE(of_a_layer(moons, options), kMostExchanges);
    EXPECT_GT(of_a_layer(moons, options), 2);
    EXPECT_LE(of_a_layer(alike, options), kMostExchanges);
  }
  EXPECT_EQ(of_a_layer(moons, options_of(Method::kRandNb, 40)), 1);
}

// The recorder works: a fit that shares rows sends most of their numbers.
TEST(RowFree, ARecorderFindsRowsThatAreShared) {
  const GroupSet groups = make_gaussian_groups(2, 4, 400, 2);
  FitOptions options = options_of(Method::kNb, 40);
  options.fit_rows = RowLimit(400);
  std::vector<double> sent;
  run_ranks(2, [&](Communicator& comm) {
    std::vector<double> own;
    RecordingCommunicator recording(comm, own);
    fit_flow(group_of(groups, comm.rank()), options, recording, {});
    if (comm.rank() == 0) sent = std::move(own);
  });
  EXPECT_EQ(count_told(groups, 0, sent), 400);
}

TEST(RowFree, RefusesWhatWouldTellRows) {
  const GroupSet groups = make_gaussian_groups(2, 3, 100, 3);
  const auto message = [&](const FitOptions& options, bool same_group) {
    std::vector<std::string> out(2);
    run_ranks(2, [&](Communicator& comm) {
      try {
        fit_row_free(group_of(groups, same_group ? 0 : comm.rank()), options, comm);
      } catch (const Error& error) {
        out[comm.rank()] = error.what();
      }
    });
    EXPECT_EQ(out[0], out[1]);
    return out[0];
  };
  EXPECT_NE(message(options_of(Method::kTree, 10), false).find("choose nb, inb"),
            std::string::npos);
  EXPECT_NE(message(options_of(Method::kNb, 21), false).find("at most 20 knots"),
            std::string::npos);
  EXPECT_NE(message(options_of(Method::kNb, 20), true).find("a group must be on one process"),
            std::string::npos);
  FitOptions gated = options_of(Method::kInb, 10);
  gated.gate = Gating::kClusters;
  EXPECT_NE(message(gated, false).find("leave them unset"), std::string::npos);
}

}  // namespace row_free_test
}  // namespace conflux

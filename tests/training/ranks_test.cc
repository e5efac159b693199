// Rows spread over processes: what a fit learns must not depend on who holds which row.

#include <gtest/gtest.h>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "conflux/toys/toy.h"
#include "conflux/training/fit.h"
#include "options/methods.h"
#include "options/option_table.h"
#include "tests/support/thread_communicator.h"

namespace conflux {
namespace ranks_test {

// Every third row, so that all ranks see all of each distribution; rank 0 holds no rows of group 0.
GroupSet part_of(const GroupSet& groups, Index rank, Index size) {
  GroupSet out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const ConstRows rows = groups[m].rows.doubles();
    Matrix part(rows.rows(), rows.cols());
    Index count = 0;
    for (Index i = 0; i < rows.rows(); ++i) {
      const Index owner = m == 0 && size > 1 ? 1 + i % (size - 1) : i % size;
      if (owner == rank) part.row(count++) = rows.eigen().row(i);
    }
    out.add(groups[m].name, Matrix(part.topRows(count)));
  }
  return out;
}

// The flow of every rank, fitted together.
std::vector<Flow> fit_on_ranks(const GroupSet& groups, const FitOptions& options, Index ranks) {
  std::vector<Flow> flows(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](Communicator& comm) {
    const GroupSet mine = part_of(groups, comm.rank(), comm.size());
    flows[static_cast<std::size_t>(comm.rank())] = fit_flow(mine, options, comm, {}).flow;
  });
  return flows;
}

FitOptions options_for(Method method, Estimator estimator) {
  FitOptions options;
  options.method = method;
  options.estimator = estimator;
  options.threads = 1;
  // Rows stay where they are.
  options.fit_rows = RowLimit();
  if (!method_info(method).one_layer()) options.layers = 5;
  return without_ignored(options);
}

TEST(Ranks, AllRanksHoldTheSameFlow) {
  const GroupSet groups = make_gaussian_groups(3, 6, 200, 1);
  for (const Method method : {Method::kNb, Method::kInb, Method::kGbInb, Method::kSinf, Method::kDd,
                              Method::kTreeInb, Method::kMeans, Method::kLocationScale}) {
    for (const Estimator estimator : {Estimator::kQuantile, Estimator::kHistogram}) {
      const std::vector<Flow> flows = fit_on_ranks(groups, options_for(method, estimator), 3);
      const Matrix first = flows[0].forward(1, groups[1].rows, Workers(1));
      for (const Flow& flow : flows) EXPECT_EQ(flow.forward(1, groups[1].rows, Workers(1)), first);
    }
  }
}

// Moments and counts are sums: nothing is lost by spreading rows.
TEST(Ranks, SumsGiveTheMapsOfOneProcess) {
  const GroupSet groups = make_gaussian_groups(3, 6, 200, 2);
  for (const Method method : {Method::kGb, Method::kNb, Method::kDd}) {
    const FitOptions options = options_for(method, Estimator::kHistogram);
    const Matrix one = fit_flow(groups, options).flow.forward(0, groups[0].rows, Workers(1));
    const Matrix three = fit_on_ranks(groups, options, 3)[0].forward(0, groups[0].rows, Workers(1));
    EXPECT_LT((one - three).cwiseAbs().maxCoeff(), 1e-8) << name_of(method);
  }
}

// Small groups are summarized by their rows themselves; large ones by many points per knot, so that
// maps differ by far less than sampling noise.
TEST(Ranks, SummariesGiveTheMapsOfOneProcess) {
  for (const Index rows : {200, 5000}) {
    const GroupSet groups = make_gaussian_groups(2, 3, rows, 3);
    const FitOptions options = options_for(Method::kNb, Estimator::kQuantile);
    const Matrix one = fit_flow(groups, options).flow.forward(0, groups[0].rows, Workers(1));
    const Matrix three = fit_on_ranks(groups, options, 3)[0].forward(0, groups[0].rows, Workers(1));
    EXPECT_LT((one - three).cwiseAbs().maxCoeff(), rows == 200 ? 1e-9 : 0.02);
  }
}

TEST(Ranks, AlignAsWellAsOneProcess) {
  const GroupSet moons = make_moons({.samples = 600});
  FitOptions options = options_for(Method::kInb, Estimator::kQuantile);
  options.layers = 15;
  const Workers workers(1);
  const auto distance = [&](const Flow& flow) {
    return exact_w2_squared(flow.translate(0, 1, moons[0].rows, workers), moons[1].rows.doubles(),
                            {}, workers);
  };
  const double one = distance(fit_flow(moons, options).flow);
  const double three = distance(fit_on_ranks(moons, options, 3)[0]);
  EXPECT_LT(three, 1.5 * one);
}

TEST(Ranks, EmptyGroupIsNoticedOnEveryRank) {
  GroupSet groups = make_moons({.samples = 30});
  groups.add("empty", Matrix(0, 2));
  run_ranks(2, [&](Communicator& comm) {
    const GroupSet mine = part_of(groups, comm.rank(), comm.size());
    EXPECT_THROW(fit_flow(mine, FitOptions{}, comm, {}), InvalidData);
  });
}

}  // namespace ranks_test
}  // namespace conflux

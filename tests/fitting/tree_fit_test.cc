#include "fitting/tree_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "conflux/metrics/moves.h"
#include "conflux/model/model.h"
#include "conflux/toys/toy.h"
#include "core/rng.h"
#include "tests/support/layer_laws.h"
#include "tests/support/thread_communicator.h"

namespace conflux {
namespace tree_fit_test {

FitOptions resolved(const GroupSet& groups, FitOptions options) {
  options.method = Method::kTree;
  std::vector<Index> sizes;
  for (Index m = 0; m < groups.num_groups(); ++m) sizes.push_back(groups[m].rows.rows());
  return resolve(options, {groups.dim(), groups.names(), sizes});
}

TreeLayer fit_layer(const GroupSet& groups, FitOptions options = {}, double strength = 1) {
  SelfCommunicator comm;
  const RowChoice rows = all_rows(groups);
  return fit_tree_layer(groups, rows, rows, strength, resolved(groups, options), comm, Workers(2));
}

TEST(FittedTreeLayer, ObeysTheLawsOfLayers) {
  for (const Index dim : {1, 2, 5}) {
    const GroupSet groups = make_gaussian_groups(3, dim, 300, 1);
    for (const double uniform : {0.01, 0.1, 0.9}) {
      check_layer_laws(fit_layer(groups, {.tree_uniform = uniform}), 3, Stream(60, Purpose::kTest),
                       {.low = -6, .high = 6});
    }
  }
}

// A cut divides each group's mass; moved across it, the halves weigh the same for all groups.
TEST(FittedTreeLayer, OfOneCutGivesAllGroupsTheSameHalves) {
  GroupSet groups;
  Stream stream(61, Purpose::kTest);
  for (const double share : {0.2, 0.5, 0.9}) {
    Matrix rows(2000, 1);
    for (Index i = 0; i < 2000; ++i) {
      rows(i, 0) = stream.uniform() + (static_cast<double>(i) < 2000 * share ? 0 : 1);
    }
    groups.add(std::to_string(share), std::move(rows));
  }
  const TreeLayer layer = fit_layer(groups, {.tree_leaves = 2, .tree_uniform = 1e-6});
  ASSERT_EQ(layer.nodes().size(), 1u);
  // Any place will do: the barycenter has one distribution function.
  for (const double place : {0.5, 1.0, 1.5}) {
    std::vector<double> below;
    for (Index m = 0; m < 3; ++m) {
      Matrix x = groups[m].rows.eigen();
      layer.forward(m, Rows(x), nullptr);
      below.push_back((x.array() < place).cast<double>().mean());
    }
    EXPECT_NEAR(below[0], below[1], 0.05);
    EXPECT_NEAR(below[0], below[2], 0.05);
  }
}

TEST(FittedTreeLayer, OfEqualGroupsIsTheIdentity) {
  const GroupSet one = make_gaussian_groups(1, 4, 200, 2);
  GroupSet groups;
  groups.add("a", one[0].rows);
  groups.add("b", one[0].rows);
  EXPECT_TRUE(fit_layer(groups).nodes().empty());
}

TEST(FittedTreeLayer, LeavesATargetAlone) {
  const GroupSet groups = make_gaussian_groups(2, 3, 300, 3);
  const TreeLayer layer = fit_layer(groups, {.target = groups[1].name});
  Matrix x = groups[1].rows.eigen();
  layer.forward(1, Rows(x), nullptr);
  EXPECT_LT((x - Matrix(groups[1].rows.eigen())).cwiseAbs().maxCoeff(), 1e-10);
  Matrix y = groups[0].rows.eigen();
  layer.forward(0, Rows(y), nullptr);
  EXPECT_GT((y - Matrix(groups[0].rows.eigen())).norm(), 1);
}

TEST(FittedTreeLayer, IsTheSameOnAllRanksAndNearlyThatOfOne) {
  const GroupSet groups = make_gaussian_groups(2, 4, 301, 4);
  const FitOptions options = resolved(groups, {});
  std::vector<Matrix> moved(3);
  run_ranks(3, [&](Communicator& comm) {
    GroupSet mine;
    std::vector<Matrix> kept;
    for (Index m = 0; m < 2; ++m) {
      const Index begin = comm.rank() * 301 / 3, end = (comm.rank() + 1) * 301 / 3;
      mine.add(groups[m].name, groups[m].rows.middle_rows(begin, end - begin));
    }
    const RowChoice rows = all_rows(mine);
    const TreeLayer layer = fit_tree_layer(mine, rows, rows, 1, options, comm, Workers(1));
    Matrix x = groups[0].rows.eigen();
    layer.forward(0, Rows(x), nullptr);
    moved[static_cast<std::size_t>(comm.rank())] = std::move(x);
  });
  EXPECT_EQ(moved[0], moved[1]);
  EXPECT_EQ(moved[0], moved[2]);
  Matrix one = groups[0].rows.eigen();
  fit_layer(groups).forward(0, Rows(one), nullptr);
  EXPECT_LT((one - moved[0]).cwiseAbs().maxCoeff(), 1e-9);
}

class TreeMethod : public testing::TestWithParam<Method> {
 protected:
  FitOptions options(Index layers) const {
    FitOptions out;
    out.method = GetParam();
    out.layers = layers;
    out.search_steps = 5;
    return without_ignored(out);
  }
};
INSTANTIATE_TEST_SUITE_P(Each, TreeMethod, testing::Values(Method::kTree, Method::kTreeInb),
                         [](const auto& each) {
                           return each.param == Method::kTree ? "tree" : "tree_inb";
                         });

TEST_P(TreeMethod, BringsTheMoonsTogether) {
  const GroupSet moons = make_moons({.samples = 600});
  const Workers workers(2);
  FitOptions chosen = options(20);
  chosen.validation_fraction = 0;
  const Fit fit = fit_flow(moons, chosen);
  const double before =
      exact_w2_squared(moons[0].rows.doubles(), moons[1].rows.doubles(), {}, workers);
  const Matrix as_other = fit.flow.translate(0, 1, moons[0].rows, workers);
  const double after = exact_w2_squared(as_other, moons[1].rows.doubles(), {}, workers);
  // Two samples of one moon are 0.006 apart; NB alone stops at 0.2.
  EXPECT_LT(after, GetParam() == Method::kTree ? 0.1 : 0.03) << before;
  RecordProperty("after", std::to_string(after));
}

TEST_P(TreeMethod, ThreeThreadsGiveTheBitsOfOne) {
  const GroupSet groups = make_gaussian_groups(3, 12, 150, 5);
  FitOptions chosen = options(6);
  chosen.split = Split::kRandomHalf;
  chosen.threads = 1;
  const Fit one = fit_flow(groups, chosen);
  chosen.threads = 3;
  const Fit three = fit_flow(groups, chosen);
  for (Index m = 0; m < 3; ++m) {
    EXPECT_EQ(one.flow.forward(m, groups[m].rows, Workers(1)),
              three.flow.forward(m, groups[m].rows, Workers(3)));
  }
}

TEST_P(TreeMethod, InverseUndoesForwardAlsoFarOutside) {
  const GroupSet groups = make_gaussian_groups(3, 6, 150, 6);
  const Workers workers(2);
  const Fit fit = fit_flow(groups, options(8));
  for (const double reach : {1.0, 1e3, 1e6}) {
    for (Index m = 0; m < 3; ++m) {
      const Matrix x = reach * Matrix(groups[m].rows.eigen());
      const Matrix back = fit.flow.inverse(m, fit.flow.forward(m, x, workers), workers);
      EXPECT_LT(round_trip_error(x, back).largest, 1e-9) << reach;
    }
  }
}

TEST_P(TreeMethod, AlternatesAsItsNameSays) {
  const Fit fit = fit_flow(make_moons({.samples = 100}), options(4));
  for (Index l = 0; l < 4; ++l) {
    const bool sliced = GetParam() == Method::kTreeInb && l % 2 == 1;
    EXPECT_EQ(fit.flow.layer(l).kind(), sliced ? "sliced" : "tree");
    EXPECT_EQ(fit.record.layers[static_cast<std::size_t>(l)].kind, sliced ? "sliced" : "tree");
  }
}

}  // namespace tree_fit_test
}  // namespace conflux

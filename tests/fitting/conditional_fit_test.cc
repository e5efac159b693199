#include "fitting/conditional_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "conflux/metrics/group_prediction.h"
#include "conflux/toys/toy.h"
#include "conflux/training/fit.h"
#include "core/rng.h"
#include "tests/support/layer_laws.h"

namespace conflux {
namespace conditional_fit_test {

const Workers kWorkers(2);

FitOptions resolved(const GroupSet& groups, FitOptions options = {}) {
  options.method = Method::kConditional;
  std::vector<Index> sizes;
  for (Index m = 0; m < groups.num_groups(); ++m) sizes.push_back(groups[m].rows.rows());
  return resolve(options, {groups.dim(), groups.names(), sizes});
}

std::optional<ConditionalLayer> fit_layer(const GroupSet& groups, const FitOptions& options = {},
                                          double strength = 1) {
  SelfCommunicator comm;
  const RowChoice rows = all_rows(groups);
  const FitOptions all = resolved(groups, options);
  const auto tree = find_conditional_tree(groups, rows, {}, all, comm, kWorkers);
  if (!tree) return std::nullopt;
  return fit_conditional_layer(groups, rows, *tree, strength, all, comm, kWorkers);
}

// Feature 1 follows feature 0 in one group and runs against it in the other: means and deviations
// agree, what one feature says of the other does not.
GroupSet crossed(Index count, std::uint64_t seed) {
  GroupSet out;
  Stream stream(seed, Purpose::kTest);
  for (const double sign : {1.0, -1.0}) {
    Matrix rows = stream.normal_matrix(count, 3);
    rows.col(1) = 0.3 * rows.col(1) + sign * rows.col(0);
    out.add(sign > 0 ? "with" : "against", std::move(rows));
  }
  return out;
}

TEST(FittedConditionalLayer, ObeysTheLawsOfLayers) {
  const auto layer = fit_layer(make_gaussian_groups(3, 4, 400, 1));
  ASSERT_TRUE(layer);
  check_layer_laws(*layer, 3, Stream(190, Purpose::kTest), {.low = -6, .high = 6});
}

TEST(FittedConditionalLayer, LeavesEqualGroupsAlone) {
  const GroupSet one = make_gaussian_groups(1, 4, 300, 2);
  GroupSet groups;
  groups.add("a", one[0].rows);
  groups.add("b", one[0].rows);
  EXPECT_FALSE(fit_layer(groups));
}

TEST(FittedConditionalLayer, LeavesATargetAlone) {
  const GroupSet groups = make_gaussian_groups(2, 3, 400, 3);
  const auto layer = fit_layer(groups, {.target = groups[1].name});
  ASSERT_TRUE(layer);
  Matrix x = groups[1].rows.eigen();
  const Matrix before = x;
  layer->forward(1, Rows(x), nullptr);
  EXPECT_LT((x - before).cwiseAbs().maxCoeff(), 1e-12);
}

// Groups of 10 rows say nothing; they stay, and the others meet without them.
TEST(FittedConditionalLayer, LeavesTinyGroupsWhereTheyAre) {
  const GroupSet large = make_gaussian_groups(3, 2, 400, 4);
  GroupSet groups;
  groups.add("a", large[0].rows);
  groups.add("b", large[1].rows);
  groups.add("tiny", large[2].rows.middle_rows(0, 10));
  const auto layer = fit_layer(groups);
  ASSERT_TRUE(layer);
  for (const PiecewiseLinearMap& map : layer->maps()[2]) EXPECT_TRUE(map.from().empty());
}

// No map of one feature alone changes what is different here.
TEST(ConditionalFit, MakesGroupsAlikeThatDifferByADependence) {
  const Fit fit =
      fit_flow(crossed(1500, 191), {.method = Method::kConditional, .validation_fraction = 0.0});
  EXPECT_LT(fit.flow.num_layers(), 200) << "it stops by itself";
  const GroupSet unseen = crossed(1500, 192);
  GroupSet moved;
  for (Index m = 0; m < 2; ++m) {
    moved.add(unseen[m].name, fit.flow.forward(m, unseen[m].rows, kWorkers));
  }
  EXPECT_GT(predict_groups(unseen, {}, kWorkers).auc, 0.9);
  EXPECT_LT(predict_groups(moved, {}, kWorkers).auc, 0.6);
}

// A row at a cut could come back on its other side.
TEST(ConditionalFit, ReturnsTheRowsThatItWasFittedOn) {
  const GroupSet groups = crossed(800, 194);
  const Fit fit = fit_flow(groups, {.method = Method::kConditional, .validation_fraction = 0.0});
  ASSERT_GT(fit.flow.num_layers(), 5);
  for (Index m = 0; m < 2; ++m) {
    const Matrix there = fit.flow.forward(m, groups[m].rows, kWorkers);
    const Matrix back = fit.flow.inverse(m, there, kWorkers);
    EXPECT_LT((back - Matrix(groups[m].rows.eigen())).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(ConditionalFit, HasTheSameBitsOnAnyNumberOfThreads) {
  const GroupSet groups = crossed(400, 193);
  const auto rows = [&](int threads) {
    const Fit fit = fit_flow(groups, {.method = Method::kConditional, .threads = threads});
    return fit.flow.forward(0, groups[0].rows, kWorkers);
  };
  const Matrix one = rows(1);
  EXPECT_EQ(one, rows(2));
  EXPECT_EQ(one, rows(3));
}

// The law by which a fit sees that its layers chase chance.
TEST(FittedConditionalLayer, FindsNoMoreThanChanceInEqualGroups) {
  const auto layer = fit_layer(crossed(600, 194));
  ASSERT_TRUE(layer);
  SelfCommunicator comm;
  const int trials = 300;
  double sum = 0, squares = 0;
  for (int t = 0; t < trials; ++t) {
    GroupSet alike;
    Stream stream(195, Purpose::kTest, static_cast<std::uint64_t>(t));
    for (const char* name : {"a", "b"}) alike.add(name, stream.normal_matrix(400, 3));
    const double excess = excess_of(*layer, alike, all_rows(alike), comm);
    sum += excess;
    squares += excess * excess;
  }
  EXPECT_NEAR(sum / trials, 0, 4 / std::sqrt(trials));
  EXPECT_NEAR(squares / trials, 1, 0.4);
  const GroupSet unseen = crossed(600, 196);
  EXPECT_GT(excess_of(*layer, unseen, all_rows(unseen), comm), 10);
}

// Each layer finds something in some feature, as chance always does in one of many.
TEST(ConditionalFit, StopsWhenItsLayersChaseChance) {
  GroupSet groups;
  Stream stream(197, Purpose::kTest);
  for (const double shift : {0.0, 1.0, 2.0}) {
    Matrix rows = stream.normal_matrix(600, 12);
    rows.col(3).array() += shift;
    groups.add(std::to_string(shift), std::move(rows));
  }
  const Fit fit = fit_flow(groups, {.method = Method::kConditional,
                                    .layers = 300,
                                    .validation_fraction = 0.2,
                                    .patience = 300,
                                    .judge = Judging::kPrediction});
  EXPECT_GT(fit.flow.num_layers(), 0);
  EXPECT_LT(fit.record.layers.size() + fit.record.dropped_layers.size(), 100U);
  EXPECT_FALSE(fit.record.stop.empty());
  EXPECT_TRUE(fit_flow(groups, {.method = Method::kNb}).record.stop.empty());
}

// Equal masses are no masses: a group is worth its rows.
TEST(ConditionalFit, TakesMasses) {
  const GroupSet groups = make_gaussian_groups(2, 2, 500, 5);
  const std::vector<double> fours(500, 4.0);
  GroupSet heavy;
  for (Index m = 0; m < 2; ++m) {
    heavy.add(groups[m].name, groups[m].rows, fours);
  }
  const FitOptions options{.method = Method::kConditional, .validation_fraction = 0.0};
  const Matrix x = groups[0].rows.eigen();
  EXPECT_LT((fit_flow(groups, options).flow.forward(0, x, kWorkers) -
             fit_flow(heavy, options).flow.forward(0, x, kWorkers))
                .cwiseAbs()
                .maxCoeff(),
            1e-9);
}

}  // namespace conditional_fit_test
}  // namespace conflux

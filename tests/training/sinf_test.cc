// SINF: all groups to one of them, by splines.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "conflux/metrics/moves.h"
#include "conflux/model/model.h"
#include "conflux/toys/toy.h"
#include "conflux/training/fit.h"
#include "core/rng.h"
#include "univariate/rational_quadratic_map.h"

namespace conflux {
namespace sinf_test {

FitOptions sinf(Index layers, const std::string& target = {}) {
  FitOptions options;
  options.method = Method::kSinf;
  options.layers = layers;
  options.search_steps = 20;
  options.target = target;
  return options;
}

Matrix copy(const GroupSet& groups, Index m) { return groups[m].rows.eigen(); }

TEST(Sinf, LeavesTheTargetAsItIsToTheLastBit) {
  const GroupSet groups = make_gaussian_groups(3, 5, 300, 1);
  for (Index target = 0; target < 3; ++target) {
    const Fit fit = fit_flow(groups, sinf(5, groups[target].name));
    EXPECT_EQ(fit.record.options.target, groups[target].name);
    EXPECT_EQ(fit.flow.forward(target, groups[target].rows, Workers(1)), copy(groups, target));
    const Index other = (target + 1) % 3;
    EXPECT_NE(fit.flow.forward(other, groups[other].rows, Workers(1)), copy(groups, other));
  }
}

TEST(Sinf, MovesToTheLastGroupUnlessTold) {
  const GroupSet groups = make_gaussian_groups(3, 5, 100, 2);
  const Fit fit = fit_flow(groups, sinf(2));
  EXPECT_EQ(fit.record.options.target, groups[2].name);
  EXPECT_EQ(fit.record.options.estimator, Estimator::kSpline);
  EXPECT_EQ(fit.record.options.unit_cube, UnitCube::kOff);
}

TEST(Sinf, BringsTheMoonsTogetherBothWays) {
  const GroupSet moons = make_moons({.samples = 800});
  const Workers workers(2);
  for (const Index to : {0, 1}) {
    FitOptions options = paper_options(Method::kSinf, 2);
    options.target = moons[to].name;
    const Fit fit = fit_flow(moons, options);
    const Matrix there = fit.flow.translate(1 - to, to, moons[1 - to].rows, workers);
    const Matrix back = fit.flow.translate(to, 1 - to, moons[to].rows, workers);
    // Two samples of one moon are 0.006 apart.
    EXPECT_LT(exact_w2_squared(there, moons[to].rows.doubles(), {}, workers), 0.01);
    EXPECT_LT(exact_w2_squared(back, moons[1 - to].rows.doubles(), {}, workers), 0.05);
  }
}

TEST(Sinf, ShiftsAreUndoneExactly) {
  const GroupSet one = make_gaussian_groups(1, 3, 500, 3);
  GroupSet groups;
  groups.add("a", one[0].rows);
  groups.add("b", Matrix(copy(one, 0).array() + 7.5));
  FitOptions options = sinf(4);
  options.directions = 3;
  options.strength = 1;
  options.validation_fraction = 0;
  const Fit fit = fit_flow(groups, options);
  const Matrix as_b = fit.flow.translate(0, 1, groups[0].rows, Workers(1));
  EXPECT_LT((as_b - copy(groups, 1)).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(Sinf, InverseUndoesForwardAlsoFarOutside) {
  const GroupSet groups = make_gaussian_groups(2, 8, 200, 4);
  const Workers workers(2);
  const Fit fit = fit_flow(groups, sinf(20));
  for (const double reach : {1.0, 1e3, 1e6}) {
    const Matrix x = reach * copy(groups, 0);
    const Matrix back = fit.flow.inverse(0, fit.flow.forward(0, x, workers), workers);
    EXPECT_LT(round_trip_error(x, back).largest, 1e-9) << reach;
  }
}

// On the way back from the target 400 knots on 1000 rows squeeze places by many orders of
// magnitude. No inverse can return digits that a double no longer holds; each layer by itself must.
TEST(Sinf, EveryLayerOfThePaperPresetIsUndoneToRounding) {
  const GroupSet moons = make_moons({.samples = 981});
  const GroupSet others = make_moons({.samples = 481, .seed = 1});
  FitOptions options = paper_options(Method::kSinf, 2);
  options.target = moons[0].name;
  const Flow flow = fit_flow(moons, options).flow;
  Matrix at = copy(others, 0);
  std::vector<double> log_det(481, 0.0);
  for (Index l = flow.num_layers() - 1; l >= 0; --l) {
    const Matrix before = at;
    flow.layer(l).inverse(1, Rows(at), log_det.data());
    Matrix back = at;
    std::vector<double> ignored(481, 0.0);
    flow.layer(l).forward(1, Rows(back), ignored.data());
    // A layer may squeeze by 1e5, which leaves eleven digits.
    EXPECT_LT((back - before).cwiseAbs().maxCoeff(), 1e-10) << l;
  }
  EXPECT_LT(*std::min_element(log_det.begin(), log_det.end()), std::log(1e-10));
}

TEST(Sinf, ThreeThreadsGiveTheBitsOfOne) {
  const GroupSet groups = make_gaussian_groups(2, 12, 150, 5);
  FitOptions options = sinf(6);
  options.threads = 1;
  const Fit one = fit_flow(groups, options);
  options.threads = 3;
  const Fit three = fit_flow(groups, options);
  EXPECT_EQ(one.flow.forward(0, groups[0].rows, Workers(1)),
            three.flow.forward(0, groups[0].rows, Workers(3)));
}

// Held-out rows choose the number of layers; the published runs looked at the test rows instead.
TEST(Sinf, StopsWhenHeldOutRowsGainNoMore) {
  // Few rows in many dimensions, at full strength: layers soon fit noise.
  const GroupSet groups = make_gaussian_groups(2, 40, 600, 6);
  FitOptions options = sinf(60);
  options.patience = 5;
  options.strength = 1;
  options.validation_fraction = 0.3;
  const Fit fit = fit_flow(groups, options);
  EXPECT_GT(*fit.record.options.validation_fraction, 0);
  EXPECT_LT(fit.record.layers.size(), 60u);
}

// The latent space is the target's, so a newcomer has somewhere to go.
TEST(Sinf, TakesMoreGroups) {
  const GroupSet groups = make_gaussian_groups(2, 4, 200, 7);
  Fit fit = fit_flow(groups, sinf(3));
  const Model model{.flow = std::move(fit.flow), .record = std::move(fit.record)};
  const Model wider = add_group(model, "again", groups[0].rows, {}, Workers(1));
  EXPECT_EQ(wider.flow.forward(2, groups[0].rows, Workers(1)),
            model.flow.forward(0, groups[0].rows, Workers(1)));
}

TEST(Sinf, PaperPresetIsThatOfThePublishedRuns) {
  const FitOptions options = paper_options(Method::kSinf, 2);
  EXPECT_EQ(options.layers, 15);
  EXPECT_EQ(options.split, Split::kNone);
  EXPECT_EQ(options.unit_cube, UnitCube::kOff);
  EXPECT_EQ(options.validation_fraction, 0.0);
  EXPECT_EQ(options.search_steps, 200);
  EXPECT_EQ(options.knots, 400);
  EXPECT_EQ(options.strength, 1.0);
}

}  // namespace sinf_test
}  // namespace conflux

// RealNVP, LRMF and AlignFlow: flows of couplings, trained by likelihood and by critics.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "conflux/metrics/moves.h"
#include "conflux/model/add_group.h"
#include "conflux/model/log_density.h"
#include "conflux/toys/toy.h"
#include "core/rng.h"
#include "options/methods.h"

namespace conflux {
namespace coupling_test {

using testing::HasSubstr;

const Workers kWorkers(2);

Matrix copy(const GroupSet& groups, Index m) { return groups[m].rows.eigen(); }

// Small networks and few passes, where a law does not depend on quality.
FitOptions quick(Method method) {
  FitOptions options;
  options.method = method;
  options.hidden = 16;
  options.couplings = 4;
  options.epochs = 30;
  return options;
}

// Smaller than by default, and trained to the end.
FitOptions whole(Method method) {
  FitOptions options;
  options.method = method;
  options.hidden = 24;
  options.couplings = 6;
  return options;
}

Model model_of(const GroupSet& groups, const FitOptions& options) {
  Fit fit = fit_flow(groups, options);
  return {.flow = std::move(fit.flow), .record = std::move(fit.record)};
}

class Networks : public testing::TestWithParam<Method> {};

// Two samples of one moon are 0.006 apart, the moons themselves 1.85; rows are new.
TEST_P(Networks, TurnOneMoonIntoTheOther) {
  const Fit fit = fit_flow(make_moons({.samples = 1200}), whole(GetParam()));
  const GroupSet others = make_moons({.samples = 1000, .seed = 1});
  for (Index to = 0; to < 2; ++to) {
    const Matrix moved = fit.flow.translate(1 - to, to, others[1 - to].rows, kWorkers);
    EXPECT_LT(exact_w2_squared(moved, others[to].rows.doubles(), {}, kWorkers), 0.02) << to;
  }
}

TEST_P(Networks, ReturnEveryRow) {
  const GroupSet groups = make_gaussian_groups(3, 5, 200, 4);
  const Flow flow = fit_flow(groups, quick(GetParam())).flow;
  for (const double reach : {1.0, 1e3, 1e6}) {
    for (Index m = 0; m < 3; ++m) {
      const Matrix x = reach * copy(groups, m);
      const Matrix back = flow.inverse(m, flow.forward(m, x, kWorkers), kWorkers);
      EXPECT_LT(round_trip_error(x, back).largest, 1e-9) << reach;
    }
  }
}

TEST_P(Networks, HaveTheBitsOfOneThreadOnThree) {
  const GroupSet groups = make_gaussian_groups(3, 4, 150, 5);
  FitOptions options = quick(GetParam());
  options.threads = 1;
  const Fit one = fit_flow(groups, options);
  options.threads = 3;
  const Fit three = fit_flow(groups, options);
  for (Index m = 0; m < 3; ++m) {
    EXPECT_EQ(one.flow.forward(m, groups[m].rows, Workers(1)),
              three.flow.forward(m, groups[m].rows, Workers(3)));
  }
}

// Minutes without a sign look like a program that hangs. Groups of one method are trained at once.
TEST_P(Networks, TellOfEveryPass) {
  FitOptions options = quick(GetParam());
  options.threads = 3;
  SelfCommunicator comm;
  std::vector<Index> done;
  Index most = 0;
  FitControl control;
  control.on_pass = [&](Index passes, Index limit) {
    done.push_back(passes);
    most = limit;
  };
  const Fit fit = fit_flow(make_gaussian_groups(3, 4, 150, 5), options, comm, {}, control);
  const Index trainings = GetParam() == Method::kRealnvp ? 3 : 1;
  EXPECT_EQ(most, trainings * *fit.record.options.epochs);
  ASSERT_GE(static_cast<Index>(done.size()), trainings);
  for (std::size_t i = 0; i < done.size(); ++i) EXPECT_EQ(done[i], static_cast<Index>(i) + 1);
  EXPECT_LE(done.back(), most);
  // Critics make all of them.
  if (GetParam() == Method::kAlignflow) {
    EXPECT_EQ(done.back(), most);
  }
}

TEST_P(Networks, RefuseASingleFeature) {
  try {
    fit_flow(make_gaussian_groups(2, 1, 50, 6), quick(GetParam()));
    FAIL() << "accepted";
  } catch (const InvalidOption& error) {
    EXPECT_THAT(error.what(), HasSubstr("1 column"));
    EXPECT_THAT(error.what(), HasSubstr("such as nb"));
  }
}

TEST_P(Networks, WarnOfFewRows) {
  const Fit fit = fit_flow(make_gaussian_groups(2, 2, 60, 7), quick(GetParam()));
  EXPECT_THAT(fit.record.warnings, testing::Contains(HasSubstr("has 60 rows")));
}

// Constant features, and values that repeat, have no density: blurring keeps scales moderate.
TEST_P(Networks, BearConstantAndRepeatedValues) {
  GroupSet groups;
  for (const double place : {0.0, 5.0}) {
    Matrix rows = Stream(8, Purpose::kTest).normal_matrix(300, 3);
    rows.col(1) = rows.col(1).array().round();
    rows.col(2).setConstant(place);
    groups.add(place == 0 ? "a" : "b", std::move(rows));
  }
  const Flow flow = fit_flow(groups, quick(GetParam())).flow;
  const Matrix as_b = flow.translate(0, 1, groups[0].rows, kWorkers);
  EXPECT_LT((as_b.col(2).array() - 5).abs().maxCoeff(), 0.5);
  std::vector<double> log_det(300, 0.0);
  Matrix rows = copy(groups, 0);
  flow.forward_in_place(0, Rows(rows), log_det.data(), kWorkers);
  for (const double each : log_det) EXPECT_LT(std::abs(each), 12);
}

INSTANTIATE_TEST_SUITE_P(Methods, Networks,
                         testing::Values(Method::kRealnvp, Method::kLrmf, Method::kAlignflow),
                         [](const auto& of) { return std::string(method_info(of.param).name); });

// Critics gone, nothing can lead a new group to where its translations pass for real ones.
TEST(Alignflow, RefusesNewGroups) {
  const GroupSet groups = make_gaussian_groups(2, 3, 100, 12);
  const Model model = model_of(groups, quick(Method::kAlignflow));
  EXPECT_THROW(add_group(model, "new", groups[0].rows, {}, kWorkers), InvalidData);
}

// Likelihood that counts much leads groups to the normal law, likelihood that counts nothing does
// not: their scales are free then.
TEST(Alignflow, HasAWeightOfLikelihood) {
  const GroupSet groups = make_gaussians({.samples = 400});
  FitOptions options = quick(Method::kAlignflow);
  const auto farthest_from_normal = [&](double weight) {
    options.likelihood_weight = weight;
    const Flow flow = fit_flow(groups, options).flow;
    double out = 0;
    for (Index m = 0; m < groups.num_groups(); ++m) {
      const Matrix z = flow.forward(m, groups[m].rows, kWorkers);
      const Matrix square = z.transpose() * z / static_cast<double>(z.rows());
      out = std::max(out, (square - Matrix::Identity(2, 2)).cwiseAbs().maxCoeff());
    }
    return out;
  };
  const double led = farthest_from_normal(1);
  EXPECT_LT(led, 0.4);
  EXPECT_GT(farthest_from_normal(0), led);
}

TEST(Realnvp, LeadsEveryGroupToTheNormalLaw) {
  const GroupSet groups = make_gaussians({.samples = 400});
  const Flow flow = fit_flow(groups, whole(Method::kRealnvp)).flow;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Matrix z = flow.forward(m, groups[m].rows, kWorkers);
    const auto rows = static_cast<double>(z.rows());
    EXPECT_LT(z.colwise().mean().cwiseAbs().maxCoeff(), 0.15);
    EXPECT_LT((z.transpose() * z / rows - Matrix::Identity(2, 2)).cwiseAbs().maxCoeff(), 0.25);
  }
}

// A density has the integral one, whatever it is like.
TEST(Realnvp, HasDensities) {
  const GroupSet moons = make_moons({.samples = 600});
  const Model model = model_of(moons, quick(Method::kRealnvp));
  constexpr Index kSide = 200;
  constexpr double kStep = 6.0 / kSide;
  Matrix grid(kSide * kSide, 2);
  for (Index i = 0; i < grid.rows(); ++i) {
    const auto across = static_cast<double>(i % kSide);
    const auto down = static_cast<double>(i / kSide);
    grid.row(i) << -2.5 + kStep * across, -3 + kStep * down;
  }
  const std::vector<Index> group(static_cast<std::size_t>(grid.rows()), 0);
  double mass = 0;
  for (const double each : log_density(model, group, grid, kWorkers)) {
    mass += std::exp(each) * kStep * kStep;
  }
  EXPECT_NEAR(mass, 1, 0.01);
}

// In the unit cube the shared law is uniform, and translated values stay inside.
TEST(Realnvp, StaysInTheUnitCube) {
  GroupSet groups;
  for (const double power : {0.5, 2.0}) {
    Stream stream(9, Purpose::kTest);
    groups.add(std::to_string(power), Matrix(Matrix::NullaryExpr(500, 2, [&](Index, Index) {
                 return std::pow(stream.uniform(), power);
               })));
  }
  const Flow flow = fit_flow(groups, whole(Method::kRealnvp)).flow;
  const Matrix shared = flow.forward(0, groups[0].rows, kWorkers);
  EXPECT_NEAR(shared.mean(), 0.5, 0.05);
  const Matrix moved = flow.translate(0, 1, groups[0].rows, kWorkers);
  EXPECT_GE(moved.minCoeff(), 0);
  EXPECT_LE(moved.maxCoeff(), 1);
}

// Groups know nothing of each other, so one that joins gets the map of a fit that had it all along.
TEST(Realnvp, AGroupThatJoinsHasTheBitsOfOneThatWasThere) {
  const GroupSet all = make_gaussian_groups(3, 4, 150, 10);
  GroupSet first;
  first.add(all[0].name, all[0].rows);
  first.add(all[1].name, all[1].rows);
  const FitOptions options = quick(Method::kRealnvp);
  const Model joined = add_group(model_of(first, options), all[2].name, all[2].rows, {}, kWorkers);
  EXPECT_EQ(joined.flow.forward(2, all[2].rows, kWorkers),
            fit_flow(all, options).flow.forward(2, all[2].rows, kWorkers));
}

TEST(Realnvp, AGroupWithTheRowsOfAnotherGetsItsBits) {
  const GroupSet groups = make_gaussian_groups(2, 4, 150, 13);
  const Model model = model_of(groups, quick(Method::kRealnvp));
  const Model wider = add_group(model, "again", groups[0].rows, {}, kWorkers);
  EXPECT_EQ(wider.flow.forward(2, groups[1].rows, kWorkers),
            model.flow.forward(0, groups[1].rows, kWorkers));
}

TEST(Lrmf, LeavesTheTargetAsItIsToTheLastBit) {
  const GroupSet groups = make_gaussian_groups(3, 3, 150, 11);
  FitOptions options = quick(Method::kLrmf);
  for (Index target = 0; target < 3; ++target) {
    options.target = groups[target].name;
    const Flow flow = fit_flow(groups, options).flow;
    EXPECT_EQ(flow.forward(target, groups[target].rows, kWorkers), copy(groups, target));
    const Index other = (target + 1) % 3;
    EXPECT_NE(flow.forward(other, groups[other].rows, kWorkers), copy(groups, other));
  }
}

TEST(Lrmf, RefusesABarycenterAndNewGroups) {
  const GroupSet groups = make_gaussian_groups(2, 3, 100, 12);
  FitOptions options = quick(Method::kLrmf);
  options.weights = {1, 3};
  try {
    fit_flow(groups, options);
    FAIL() << "accepted";
  } catch (const InvalidOption& error) {
    EXPECT_THAT(error.what(), HasSubstr("choose a target"));
  }
  const Model model = model_of(groups, quick(Method::kLrmf));
  EXPECT_THROW(add_group(model, "new", groups[0].rows, {}, kWorkers), InvalidData);
}

}  // namespace coupling_test
}  // namespace conflux

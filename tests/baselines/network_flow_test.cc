// RealNVP, LRMF and AlignFlow: flows of couplings, trained by likelihood and by critics.

#include "baselines/network_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "conflux/metrics/moves.h"
#include "conflux/toys/toy.h"
#include "core/rng.h"

namespace conflux {
namespace network_flow_test {

using testing::HasSubstr;

const Workers kWorkers(2);

Matrix copy(const GroupSet& groups, Index m) { return groups[m].rows.eigen(); }

// Small networks and few passes, where a law does not depend on quality.
NetworkOptions quick(NetworkKind kind) {
  return {.kind = kind, .couplings = 4, .hidden = 16, .epochs = 30};
}

// Smaller than by default, and trained to the end.
NetworkOptions whole(NetworkKind kind) { return {.kind = kind, .couplings = 6, .hidden = 24}; }

class Networks : public testing::TestWithParam<NetworkKind> {};

// Two samples of one moon are 0.006 apart, the moons themselves 1.85; rows are new.
TEST_P(Networks, TurnOneMoonIntoTheOther) {
  const NetworkFit fit = fit_networks(make_moons({.samples = 1200}), whole(GetParam()), kWorkers);
  const GroupSet others = make_moons({.samples = 1000, .seed = 1});
  for (Index to = 0; to < 2; ++to) {
    const Matrix moved = fit.flow.translate(1 - to, to, others[1 - to].rows, kWorkers);
    EXPECT_LT(exact_w2_squared(moved, others[to].rows.doubles(), {}, kWorkers), 0.02) << to;
  }
}

TEST_P(Networks, ReturnEveryRow) {
  const GroupSet groups = make_gaussian_groups(3, 5, 200, 4);
  const Flow flow = fit_networks(groups, quick(GetParam()), kWorkers).flow;
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
  const NetworkFit one = fit_networks(groups, quick(GetParam()), Workers(1));
  const NetworkFit three = fit_networks(groups, quick(GetParam()), Workers(3));
  for (Index m = 0; m < 3; ++m) {
    EXPECT_EQ(one.flow.forward(m, groups[m].rows, Workers(1)),
              three.flow.forward(m, groups[m].rows, Workers(3)));
  }
}

// Minutes without a sign look like a program that hangs. Groups of one method are trained at once.
TEST_P(Networks, TellOfEveryPass) {
  std::vector<Index> done;
  Index most = 0;
  const NetworkFit fit = fit_networks(make_gaussian_groups(3, 4, 150, 5), quick(GetParam()),
                                      Workers(3), [&](Index passes, Index limit) {
                                        done.push_back(passes);
                                        most = limit;
                                      });
  const Index trainings = GetParam() == NetworkKind::kRealnvp ? 3 : 1;
  EXPECT_EQ(most, trainings * fit.options.epochs);
  ASSERT_GE(static_cast<Index>(done.size()), trainings);
  for (std::size_t i = 0; i < done.size(); ++i) EXPECT_EQ(done[i], static_cast<Index>(i) + 1);
  EXPECT_LE(done.back(), most);
  // Critics make all of them.
  if (GetParam() == NetworkKind::kAlignflow) {
    EXPECT_EQ(done.back(), most);
  }
}

TEST_P(Networks, RefuseASingleFeature) {
  try {
    fit_networks(make_gaussian_groups(2, 1, 50, 6), quick(GetParam()), kWorkers);
    FAIL() << "accepted";
  } catch (const InvalidOption& error) {
    EXPECT_THAT(error.what(), HasSubstr("1 column"));
    EXPECT_THAT(error.what(), HasSubstr("such as nb"));
  }
}

TEST_P(Networks, WarnOfFewRows) {
  const NetworkFit fit =
      fit_networks(make_gaussian_groups(2, 2, 60, 7), quick(GetParam()), kWorkers);
  EXPECT_THAT(fit.warnings, testing::Contains(HasSubstr("has 60 rows")));
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
  const Flow flow = fit_networks(groups, quick(GetParam()), kWorkers).flow;
  const Matrix as_b = flow.translate(0, 1, groups[0].rows, kWorkers);
  EXPECT_LT((as_b.col(2).array() - 5).abs().maxCoeff(), 0.5);
  std::vector<double> log_det(300, 0.0);
  Matrix rows = copy(groups, 0);
  flow.forward_in_place(0, Rows(rows), log_det.data(), kWorkers);
  for (const double each : log_det) EXPECT_LT(std::abs(each), 12);
}

INSTANTIATE_TEST_SUITE_P(Methods, Networks,
                         testing::Values(NetworkKind::kRealnvp, NetworkKind::kLrmf,
                                         NetworkKind::kAlignflow),
                         [](const auto& of) {
                           return std::string(std::array{"realnvp", "lrmf", "alignflow"}.at(
                               static_cast<std::size_t>(of.param)));
                         });

// Likelihood that counts much leads groups to the normal law, likelihood that counts nothing does
// not: their scales are free then.
TEST(Alignflow, HasAWeightOfLikelihood) {
  const GroupSet groups = make_gaussians({.samples = 400});
  NetworkOptions options = quick(NetworkKind::kAlignflow);
  const auto farthest_from_normal = [&](double weight) {
    options.likelihood_weight = weight;
    const Flow flow = fit_networks(groups, options, kWorkers).flow;
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
  const Flow flow = fit_networks(groups, whole(NetworkKind::kRealnvp), kWorkers).flow;
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
  const Flow flow = fit_networks(moons, quick(NetworkKind::kRealnvp), kWorkers).flow;
  constexpr Index kSide = 200;
  constexpr double kStep = 6.0 / kSide;
  Matrix grid(kSide * kSide, 2);
  for (Index i = 0; i < grid.rows(); ++i) {
    const auto across = static_cast<double>(i % kSide);
    const auto down = static_cast<double>(i / kSide);
    grid.row(i) << -2.5 + kStep * across, -3 + kStep * down;
  }
  std::vector<double> log_det(static_cast<std::size_t>(grid.rows()), 0.0);
  flow.forward_in_place(0, Rows(grid), log_det.data(), kWorkers);
  double mass = 0;
  for (Index i = 0; i < grid.rows(); ++i) {
    mass += std::exp(log_det[i] - grid.row(i).squaredNorm() / 2) / (2 * std::numbers::pi) * kStep *
            kStep;
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
  const Flow flow = fit_networks(groups, whole(NetworkKind::kRealnvp), kWorkers).flow;
  const Matrix shared = flow.forward(0, groups[0].rows, kWorkers);
  EXPECT_NEAR(shared.mean(), 0.5, 0.05);
  const Matrix moved = flow.translate(0, 1, groups[0].rows, kWorkers);
  EXPECT_GE(moved.minCoeff(), 0);
  EXPECT_LE(moved.maxCoeff(), 1);
}

TEST(Lrmf, LeavesTheTargetAsItIsToTheLastBit) {
  const GroupSet groups = make_gaussian_groups(3, 3, 150, 11);
  NetworkOptions options = quick(NetworkKind::kLrmf);
  for (Index target = 0; target < 3; ++target) {
    options.target = target;
    const Flow flow = fit_networks(groups, options, kWorkers).flow;
    EXPECT_EQ(flow.forward(target, groups[target].rows, kWorkers), copy(groups, target));
    const Index other = (target + 1) % 3;
    EXPECT_NE(flow.forward(other, groups[other].rows, kWorkers), copy(groups, other));
  }
}

}  // namespace network_flow_test
}  // namespace conflux

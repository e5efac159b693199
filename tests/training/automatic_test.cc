#include "training/automatic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conflux/toys/toy.h"
#include "core/rng.h"

namespace conflux {
namespace automatic_test {

using testing::Contains;
using testing::HasSubstr;

const Workers kWorkers(2);

// The sign of the third feature is the product of the signs of the first two in one group, and its
// opposite in the other: no feature and no pair of features differs, only all three together.
GroupSet parity_groups(Index rows, std::uint64_t seed) {
  GroupSet out;
  for (Index m = 0; m < 2; ++m) {
    Stream stream(seed, Purpose::kTest, static_cast<std::uint64_t>(m));
    Matrix x = stream.normal_matrix(rows, 4);
    for (Index i = 0; i < rows; ++i) {
      const double sign = x(i, 0) * x(i, 1) > 0 ? 1 : -1;
      x(i, 2) = std::abs(x(i, 2)) * (m == 0 ? sign : -sign);
    }
    out.add(m == 0 ? "a" : "b", std::move(x));
  }
  return out;
}

GroupSet equal_groups(Index groups, Index rows, Index dim, std::uint64_t seed) {
  GroupSet out;
  for (Index m = 0; m < groups; ++m) {
    Stream stream(seed, Purpose::kTest, static_cast<std::uint64_t>(m));
    out.add(std::to_string(m), stream.normal_matrix(rows, dim));
  }
  return out;
}

void expect_left_alone(const Fit& fit) {
  EXPECT_EQ(fit.flow.num_layers(), 0);
  EXPECT_THAT(fit.record.warnings, Contains(HasSubstr("do not differ by more than chance")));
  EXPECT_THAT(fit.record.stop, HasSubstr("nothing to align"));
}

TEST(AutomaticFit, LeavesFewRowsOfManyNoisyFeaturesAlone) {
  expect_left_alone(fit_flow(equal_groups(2, 30, 300, 1), {}));
}

TEST(AutomaticFit, LeavesManyEqualGroupsAlone) {
  expect_left_alone(fit_flow(equal_groups(100, 100, 3, 2), {}));
}

// The test has an error rate of 5 %: of 40 fits, more than six are left to 1 in 100 runs only.
TEST(AutomaticFit, LeavesEqualGroupsAloneAtTheStatedRate) {
  int moved = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    moved += fit_flow(equal_groups(2, 150, 3, 100 + seed), {.layers = 2}).flow.num_layers() > 0;
  }
  EXPECT_LE(moved, 6);
}

// Parity is what conditional layers and trees see and directions do not.
TEST(AutomaticFit, AddsLayersWhereDirectionsAreNotEnough) {
  const Fit fit = fit_flow(parity_groups(1500, 3), {.method = Method::kCascade});
  ASSERT_GE(fit.record.predictions.size(), 2u);
  EXPECT_GT(fit.record.predictions.front().auc, 0.9);
  EXPECT_LT(fit.record.predictions.back().auc, 0.65);
  EXPECT_NE(fit.record.layers.back().kind, "sliced");
  EXPECT_EQ(static_cast<Index>(fit.record.layers.size()), fit.flow.num_layers());
  EXPECT_FALSE(fit.record.stop.empty());
  const GroupSet unseen = parity_groups(400, 4);
  const Matrix rows = unseen[0].rows.doubles().eigen();
  const Matrix there = fit.flow.forward(0, rows, kWorkers);
  const Matrix back = fit.flow.inverse(0, there, kWorkers);
  EXPECT_LT((back - rows).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(AutomaticFit, HasTheSameBitsOnAnyNumberOfThreads) {
  const GroupSet groups = parity_groups(400, 5);
  const Fit one = fit_flow(groups, {.method = Method::kCascade, .threads = 1});
  const Fit three = fit_flow(groups, {.method = Method::kCascade, .threads = 3});
  ASSERT_EQ(one.flow.num_layers(), three.flow.num_layers());
  EXPECT_EQ(one.flow.forward(0, groups[0].rows, kWorkers),
            three.flow.forward(0, groups[0].rows, kWorkers));
}

TEST(AutomaticFit, GoesOnFromACheckpointToTheSameBits) {
  const GroupSet groups = parity_groups(600, 6);
  const FitOptions options{.layers = 6};
  std::vector<Fit> kept;
  FitControl control;
  control.on_progress = [&](const Fit& fit) { kept.push_back(fit); };
  SelfCommunicator comm;
  const Fit whole = fit_flow(groups, options, comm, {}, control);
  ASSERT_GE(kept.size(), 3u);
  FitControl resumed;
  resumed.resume = &kept[2];
  const Fit again = fit_flow(groups, options, comm, {}, resumed);
  EXPECT_EQ(whole.flow.forward(1, groups[1].rows, kWorkers),
            again.flow.forward(1, groups[1].rows, kWorkers));
}

TEST(AutomaticFit, EndsWhenTheCallerSaysSo) {
  SelfCommunicator comm;
  int layers = 0;
  const Fit fit = fit_flow(parity_groups(600, 7), {.method = Method::kCascade}, comm,
                           [&](const LayerRecord&) { return ++layers < 3; });
  EXPECT_LE(fit.flow.num_layers(), 3);
  EXPECT_EQ(layers, 3);
}

// Hundreds of features are no table: the fit is that of inb, to the bit.
TEST(AutomaticFit, IsInbForManyFeatures) {
  GroupSet groups = equal_groups(2, 60, 120, 8);
  Matrix shifted = groups[1].rows.doubles().eigen().array() + 1;
  GroupSet set;
  set.add("a", groups[0].rows);
  set.add("b", std::move(shifted));
  const Fit automatic = fit_flow(set, {.layers = 4});
  const Fit inb = fit_flow(set, {.method = Method::kInb, .layers = 4});
  EXPECT_EQ(automatic.flow.forward(0, set[0].rows, kWorkers),
            inb.flow.forward(0, set[0].rows, kWorkers));
}

}  // namespace automatic_test
}  // namespace conflux

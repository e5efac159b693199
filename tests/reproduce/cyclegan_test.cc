#include "reproduce/cyclegan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/rng.h"
#include "kernels/normal.h"

namespace conflux::app {
namespace cyclegan_test {

constexpr Index kRows = 400;

// Two clouds, the second one moved by (1.5, -0.5) and half as wide.
GroupSet clouds(std::uint64_t seed) {
  GroupSet out;
  Matrix near = Stream(seed, Purpose::kTest, 0).normal_matrix(kRows, 2);
  Matrix far = 0.5 * Stream(seed, Purpose::kTest, 1).normal_matrix(kRows, 2);
  far.rowwise() += Eigen::RowVector2d(1.5, -0.5);
  out.add("near", std::move(near));
  out.add("far", std::move(far));
  return out;
}

const CycleGanPlan kPlan{.hidden = 16, .steps = 6000, .seed = 1};

// New rows end where the other group is, both ways. Critics let generators circle about the goal,
// so that a third of the way may be left.
TEST(CycleGan, TranslatesNewRows) {
  const GroupSet train = clouds(1), test = clouds(2);
  const CycleGan trained(train, test, kPlan);
  for (const Index from : {0, 1}) {
    const Matrix moved = trained.first_translated(from, 1 - from, kRows);
    const Vector mean = moved.colwise().mean();
    const Vector wanted = test[1 - from].rows.eigen().colwise().mean();
    EXPECT_LT((mean - wanted).norm(), 0.5) << from;
  }
  EXPECT_TRUE(trained.shared().empty());
}

// The way back is learned, not exact: it comes near, and by more than rounding does not arrive.
TEST(CycleGan, IsNoInverseOfItself) {
  const GroupSet train = clouds(3), test = clouds(4);
  const CycleGan trained(train, test, kPlan);
  const Matrix rows = test[0].rows.eigen();
  const Matrix back = trained.translate(1, 0, trained.translate(0, 1, rows));
  EXPECT_LT((back - rows).rowwise().norm().mean(), 0.5);
  EXPECT_GT((back - rows).rowwise().norm().mean(), 1e-4);
}

// Networks know no bounds: in the cube they move scores, and what they make are images again.
TEST(CycleGan, StaysInTheUnitCubeIfRowsLiveThere) {
  GroupSet groups;
  for (const std::uint64_t seed : {7, 8}) {
    const Matrix scores = Stream(seed, Purpose::kTest).normal_matrix(kRows, 2);
    groups.add(std::to_string(seed), Matrix(scores.unaryExpr(&kernels::normal_cdf)));
  }
  CycleGanPlan plan = kPlan;
  plan.steps = 20;
  plan.cube = true;
  const Matrix moved = CycleGan(groups, groups, plan).first_translated(0, 1, kRows);
  EXPECT_GT(moved.minCoeff(), -1e-3);
  EXPECT_LT(moved.maxCoeff(), 1.001);
  plan.cube = false;
  const Matrix unbounded = CycleGan(groups, groups, plan).first_translated(0, 1, kRows);
  EXPECT_GT(std::max(-unbounded.minCoeff(), unbounded.maxCoeff() - 1), 0.01);
}

TEST(CycleGan, IsTheSameBitsAgain) {
  const GroupSet train = clouds(5), test = clouds(6);
  CycleGanPlan plan = kPlan;
  plan.steps = 20;
  const Matrix once = CycleGan(train, test, plan).first_translated(0, 1, kRows);
  EXPECT_EQ(CycleGan(train, test, plan).first_translated(0, 1, kRows), once);
  plan.seed = 2;
  EXPECT_NE(CycleGan(train, test, plan).first_translated(0, 1, kRows), once);
}

}  // namespace cyclegan_test
}  // namespace conflux::app

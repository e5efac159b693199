#include "baselines/coupling_training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "baselines/coupling.h"
#include "core/rng.h"

namespace conflux {
namespace coupling_training_test {

// The second feature bends with the first: its density is known.
Matrix bent_rows(Index count, std::uint64_t seed) {
  Matrix rows = Stream(seed, Purpose::kTest).normal_matrix(count, 2);
  rows.col(1) = 0.4 * rows.col(1) + (2 * rows.col(0)).array().sin().matrix();
  return rows;
}

Chain chain_of(const Matrix& rows, std::vector<Index> couplings) {
  return {rows.cast<float>(),
          std::vector<float>(static_cast<std::size_t>(rows.rows()), 1.0F),
          {0.01F, 0.01F},
          std::move(couplings)};
}

TrainingPlan small_plan(Index num_couplings) {
  return {.masks = draw_masks(2, 4, 1),
          .num_couplings = num_couplings,
          .hidden = 24,
          .epochs = 300,
          .seed = 1};
}

double mean_loss(const CouplingParameters& trained, const std::vector<Index>& path, Matrix rows) {
  const TrainingPlan plan = small_plan(0);
  std::vector<double> log_det(static_cast<std::size_t>(rows.rows()), 0.0);
  for (const Index c : path) {
    const networks::Coupling<double> coupling(plan.masks[static_cast<std::size_t>(c) % 4], 24);
    networks::Coupling<double>::Trace trace;
    const std::vector<double> padded = coupling.net().padded(trained[static_cast<std::size_t>(c)]);
    coupling.forward(padded.data(), Rows(rows), log_det.data(), trace);
  }
  double out = 0.5 * rows.squaredNorm();
  for (const double each : log_det) out -= each;
  return out / static_cast<double>(rows.rows());
}

const std::vector<Index> kFour{0, 1, 2, 3};

// The least mean loss is that of the true density: |z|^2 / 2 has the mean 1 in the plane, and the
// true volumes change by 1 / 0.4. Rows are new, so noise that was fitted would show.
TEST(TrainedCouplings, ComeNearTheTrueDensityOfNewRows) {
  const CouplingParameters trained =
      train_couplings({chain_of(bent_rows(2000, 1), kFour)}, small_plan(4));
  const double least = 1 + std::log(0.4);
  const double loss = mean_loss(trained, kFour, bent_rows(5000, 2));
  EXPECT_GT(loss, least - 0.03);
  EXPECT_LT(loss, least + 0.05);
}

// Fifty rows and a network of a thousand parameters: without held-out rows, the likelihood of new
// rows would fall without end.
TEST(TrainedCouplings, StopBeforeFewRowsAreLearnedByHeart) {
  const CouplingParameters trained =
      train_couplings({chain_of(bent_rows(50, 3), kFour)}, small_plan(4));
  EXPECT_LT(mean_loss(trained, kFour, bent_rows(5000, 4)), 1.1);
}

TEST(TrainedCouplings, AreTheSameBitsAgain) {
  const std::vector<Chain> chains{chain_of(bent_rows(300, 5), kFour)};
  TrainingPlan plan = small_plan(4);
  plan.epochs = 10;
  const CouplingParameters once = train_couplings(chains, plan);
  EXPECT_EQ(train_couplings(chains, plan), once);
  plan.seed = 2;
  EXPECT_NE(train_couplings(chains, plan), once);
}

// A row of mass two counts as two rows of mass one: training on masses finds the density of the
// rows that have them.
TEST(TrainedCouplings, FollowMasses) {
  Matrix rows = Stream(6, Purpose::kTest).normal_matrix(2000, 2);
  Chain chain = chain_of(rows, kFour);
  for (Index i = 0; i < rows.rows(); ++i) {
    chain.masses[static_cast<std::size_t>(i)] = rows(i, 0) > 0 ? 2.0F : 0.0F;
  }
  const CouplingParameters trained = train_couplings({chain}, small_plan(4));
  Matrix right = Stream(7, Purpose::kTest).normal_matrix(2000, 2);
  right.col(0) = right.col(0).cwiseAbs();
  // Half of the plane has half of the entropy's log 2 less than all of it.
  EXPECT_LT(mean_loss(trained, kFour, right), 1 - 0.4 * std::log(2));
}

// The second chain passes the couplings of the first after its own: what they gain together is that
// its own lead its rows to those of the first.
TEST(TrainedCouplings, LeadOneChainToTheOther) {
  const Matrix target = bent_rows(1500, 8);
  const Matrix plain = Stream(9, Purpose::kTest).normal_matrix(1500, 2);
  const CouplingParameters trained = train_couplings(
      {chain_of(target, kFour), chain_of(plain, {4, 5, 6, 7, 0, 1, 2, 3})}, small_plan(8));
  Matrix led = Stream(10, Purpose::kTest).normal_matrix(2000, 2);
  const TrainingPlan plan = small_plan(0);
  for (std::size_t c = 4; c < 8; ++c) {
    const networks::Coupling<double> coupling(plan.masks[c % 4], 24);
    networks::Coupling<double>::Trace trace;
    const std::vector<double> padded = coupling.net().padded(trained[c]);
    coupling.forward(padded.data(), Rows(led), nullptr, trace);
  }
  // The second feature without the bend: a deviation of 0.4, that of the target.
  const Vector rest = led.col(1) - (2 * led.col(0)).array().sin().matrix();
  EXPECT_NEAR(std::sqrt(rest.squaredNorm() / 2000), 0.4, 0.1);
}

}  // namespace coupling_training_test
}  // namespace conflux

// Rows that judge a fit without taking part in it.

#include "training/held_out.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "conflux/toys/toy.h"
#include "conflux/training/fit.h"
#include "core/rng.h"
#include "tests/support/thread_communicator.h"

namespace conflux {
namespace held_out_test {

using testing::ElementsAre;
using testing::HasSubstr;

const Workers kWorkers(2);

GroupSet normal_groups(Index groups, Index rows, Index dim, double shift, std::uint64_t seed) {
  GroupSet out;
  for (Index m = 0; m < groups; ++m) {
    Stream stream(seed, Purpose::kTest, static_cast<std::uint64_t>(m));
    Matrix x = stream.normal_matrix(rows, dim);
    x.col(0).array() += shift * static_cast<double>(m);
    out.add(fmt::format("g{}", m), std::move(x));
  }
  return out;
}

// Nearly all rows are held out.
HeldOutJudgement judge_nearly_all(const GroupSet& groups) {
  SelfCommunicator comm;
  RowChoice usable = all_rows(groups);
  const HeldOut held_out(usable, groups, 0.98, 1, comm);
  return held_out.judge(Latent(groups), comm, kWorkers);
}

// The energy distance of two groups from its definition, over pairs of different rows.
double slow_energy(const Group& x, const Group& y, const std::vector<Index>& rows_x,
                   const std::vector<Index>& rows_y) {
  const auto mass = [](const Group& g, Index i) { return g.masses.empty() ? 1.0 : g.masses[i]; };
  const auto mean = [&](const Group& a, const Group& b, const std::vector<Index>& rows_a,
                        const std::vector<Index>& rows_b) {
    double sum = 0;
    double total = 0;
    for (const Index i : rows_a) {
      for (const Index j : rows_b) {
        if (&a == &b && i == j) continue;
        const double weight = mass(a, i) * mass(b, j);
        sum += weight * (a.rows.eigen().row(i) - b.rows.eigen().row(j)).norm();
        total += weight;
      }
    }
    return sum / total;
  };
  return 2 * mean(x, y, rows_x, rows_y) - mean(x, x, rows_x, rows_x) - mean(y, y, rows_y, rows_y);
}

// The rows that the constructor did not take, the other way round.
std::vector<std::vector<Index>> held_rows(const GroupSet& groups, double fraction,
                                          std::uint64_t seed) {
  SelfCommunicator comm;
  RowChoice usable = all_rows(groups);
  const RowChoice all = usable;
  const HeldOut held_out(usable, groups, fraction, seed, comm);
  std::vector<std::vector<Index>> held(all.size());
  for (std::size_t m = 0; m < all.size(); ++m) {
    std::set_difference(all[m].begin(), all[m].end(), usable[m].begin(), usable[m].end(),
                        std::back_inserter(held[m]));
  }
  return held;
}

TEST(HeldOut, DivergenceIsTheMeanEnergyDistanceOfTwoGroups) {
  const GroupSet even = normal_groups(3, 90, 5, 0.7, 1);
  GroupSet weighted;
  for (Index m = 0; m < 3; ++m) {
    std::vector<double> masses;
    for (Index i = 0; i < 90; ++i) masses.push_back(1 + static_cast<double>((i + m) % 3));
    weighted.add(even[m].name, even[m].rows.eigen(), std::move(masses));
  }
  for (const GroupSet* groups : std::initializer_list<const GroupSet*>{&even, &weighted}) {
    const auto rows = held_rows(*groups, 0.5, 3);
    SelfCommunicator comm;
    RowChoice usable = all_rows(*groups);
    const HeldOut held_out(usable, *groups, 0.5, 3, comm);
    double expected = 0;
    for (Index a = 0; a < 3; ++a) {
      for (Index b = a + 1; b < 3; ++b) {
        expected += slow_energy((*groups)[a], (*groups)[b], rows[a], rows[b]) / 3;
      }
    }
    const HeldOutJudgement judged = held_out.judge(Latent(*groups), comm, kWorkers);
    // Products are summed in single precision.
    EXPECT_NEAR(judged.divergence, expected, 1e-5);
  }
}

// Differences scatter over repeated samples as much as each sample says of itself.
TEST(HeldOut, ErrorOfADifferenceIsItsScatter) {
  double sum = 0;
  double squares = 0;
  double predicted = 0;
  const int repeats = 300;
  for (int r = 0; r < repeats; ++r) {
    const auto seed = static_cast<std::uint64_t>(100 + r);
    const HeldOutJudgement far = judge_nearly_all(normal_groups(2, 80, 3, 1.2, seed));
    const HeldOutJudgement near = judge_nearly_all(normal_groups(2, 80, 3, 0.8, seed));
    const double difference = far.divergence - near.divergence;
    sum += difference;
    squares += difference * difference;
    predicted += error_of_difference(far, near) / repeats;
    EXPECT_EQ(error_of_difference(far, far), 0);
  }
  const double scatter = std::sqrt(squares / repeats - sum * sum / repeats / repeats);
  EXPECT_NEAR(predicted / scatter, 1, 0.2);
}

// Divergences with one row of influence each, so that their error is the difference of influences.
std::vector<HeldOutJudgement> sequence(const std::vector<double>& divergences, double error) {
  std::vector<HeldOutJudgement> out;
  for (std::size_t l = 0; l < divergences.size(); ++l) {
    out.push_back({divergences[l], {error * static_cast<double>(l)}});
  }
  return out;
}

TEST(HeldOut, KeepsTheLongestPrefixNotClearlyWorseThanTheBest) {
  EXPECT_EQ(layers_worth_keeping(sequence({5, 4, 3, 2}, 0)), 3);
  EXPECT_EQ(layers_worth_keeping(sequence({5, 4, 3, 4}, 0.01)), 2);
  EXPECT_EQ(layers_worth_keeping(sequence({5, 4, 3, 3.005}, 0.01)), 3);
  EXPECT_EQ(layers_worth_keeping(sequence({5, 4, 3, 3.5, 3.03, 9}, 0.01)), 4);
  EXPECT_EQ(layers_worth_keeping(sequence({5, 5.1, 5.2}, 0.01)), 0);
  EXPECT_EQ(layers_worth_keeping(sequence({5, 4.985, 5.2}, 0.01)), 0);
  EXPECT_EQ(layers_worth_keeping(sequence({5}, 0.01)), 0);
}

TEST(HeldOut, RowsArePartOfNoMap) {
  const GroupSet groups = make_gaussian_groups(2, 4, 600, 3);
  FitOptions options;
  options.method = Method::kInb;
  options.layers = 4;
  options.strength = 0.7;
  options.validation_fraction = 0.2;
  const auto held = held_rows(groups, 0.2, options.seed);
  GroupSet changed;
  for (Index m = 0; m < 2; ++m) {
    Matrix rows = groups[m].rows.eigen();
    EXPECT_EQ(held[m].size(), 120u);
    for (const Index i : held[m]) rows.row(i) *= 1.01;
    changed.add(groups[m].name, std::move(rows));
  }
  const Fit a = fit_flow(groups, options);
  const Fit b = fit_flow(changed, options);
  ASSERT_EQ(a.flow.num_layers(), 4);
  ASSERT_EQ(b.flow.num_layers(), 4);
  EXPECT_NE(a.record.layers[3].held_out, b.record.layers[3].held_out);
  EXPECT_EQ(a.flow.forward(0, groups[0].rows, Workers(1)),
            b.flow.forward(0, groups[0].rows, Workers(1)));
}

TEST(HeldOut, EveryLayerIsJudged) {
  const GroupSet groups = make_gaussian_groups(3, 6, 700, 4);
  FitOptions options;
  options.method = Method::kInb;
  options.layers = 10;
  options.strength = 0.7;
  const Fit fit = fit_flow(groups, options);
  EXPECT_NEAR(*fit.record.options.validation_fraction, 0.1, 1e-12);
  ASSERT_TRUE(fit.record.held_out_at_start.has_value());
  ASSERT_TRUE(fit.record.held_out_nb.has_value());
  double last = *fit.record.held_out_at_start;
  EXPECT_GT(last, 0.1);
  for (const LayerRecord& layer : fit.record.layers) ASSERT_TRUE(layer.held_out.has_value());
  EXPECT_LT(*fit.record.layers.back().held_out, 0.2 * last);
  options.validation_fraction = 0;
  const Fit plain = fit_flow(groups, options);
  EXPECT_FALSE(plain.record.held_out_at_start.has_value());
  EXPECT_FALSE(plain.record.layers.front().held_out.has_value());
  EXPECT_EQ(plain.flow.num_layers(), 10);
}

// Two samples of one law in many dimensions, full strength, long search: layers fit nothing but
// noise, and every one of them would make new rows differ more.
TEST(HeldOut, NothingIsLearnedFromNoise) {
  const GroupSet groups = normal_groups(2, 500, 40, 0, 5);
  FitOptions options;
  options.method = Method::kInb;
  options.strength = 1;
  options.layers = 30;
  options.patience = 5;
  options.validation_fraction = 0;
  const Fit unguarded = fit_flow(groups, options);
  options.validation_fraction = 0.2;
  const Fit guarded = fit_flow(groups, options);
  const GroupSet fresh = normal_groups(2, 1500, 40, 0, 6);
  const auto distance = [&](const Flow& flow) {
    return energy_distance(flow.forward(0, fresh[0].rows, kWorkers),
                           flow.forward(1, fresh[1].rows, kWorkers), kWorkers);
  };
  const double before = energy_distance(fresh[0].rows.doubles(), fresh[1].rows.doubles(), kWorkers);
  EXPECT_LT(distance(guarded.flow), 1.05 * before);
  EXPECT_GT(distance(unguarded.flow), 1.5 * before);
  EXPECT_LE(guarded.record.layers.size() + guarded.record.dropped_layers.size(), 12u);
  if (guarded.record.layers.empty()) {
    EXPECT_THAT(guarded.record.warnings,
                testing::Contains(HasSubstr("the rows stay where they are")));
  }
}

// Features that differ each on its own: one layer along one direction cannot do what NB does.
GroupSet rescaled_features() {
  Stream stream(7, Purpose::kTest);
  GroupSet groups;
  groups.add("a", stream.normal_matrix(800, 12));
  groups.add("b", Matrix(3 * stream.normal_matrix(800, 12)));
  return groups;
}

TEST(HeldOut, NbReplacesLayersThatDoLess) {
  const GroupSet groups = rescaled_features();
  FitOptions options;
  options.method = Method::kInb;
  options.layers = 1;
  options.directions = 1;
  const Fit fit = fit_flow(groups, options);
  ASSERT_EQ(fit.flow.num_layers(), 1);
  EXPECT_EQ(fit.flow.layer(0).kind(), "coordinate");
  EXPECT_EQ(fit.record.layers.size(), 1u);
  EXPECT_EQ(fit.record.dropped_layers.size(), 1u);
  EXPECT_THAT(fit.record.warnings, testing::Contains(HasSubstr("one map per feature")));
  SelfCommunicator comm;
  const Fit again = fit_flow(groups, options, comm, {}, {.on_progress = {}, .resume = &fit});
  EXPECT_EQ(again.flow.forward(0, groups[0].rows, Workers(1)),
            fit.flow.forward(0, groups[0].rows, Workers(1)));
}

TEST(HeldOut, ResumedFitHasTheBitsOfAnUninterruptedOne) {
  const GroupSet groups = make_gaussian_groups(3, 8, 300, 8);
  FitOptions options;
  options.method = Method::kInb;
  options.layers = 12;
  options.strength = 1;
  options.patience = 3;
  options.validation_fraction = 0.25;
  const Fit whole = fit_flow(groups, options);
  SelfCommunicator comm;
  for (const Index stop : {1, 4, 7, 10}) {
    Fit kept;
    fit_flow(groups, options, comm,
             [&](const LayerRecord& layer) { return layer.layer + 1 < stop; },
             {.on_progress = [&](const Fit& so_far) { kept = so_far; }});
    const Fit rest = fit_flow(groups, options, comm, {}, {.on_progress = {}, .resume = &kept});
    EXPECT_EQ(rest.record.layers.size(), whole.record.layers.size());
    EXPECT_EQ(rest.record.dropped_layers.size(), whole.record.dropped_layers.size());
    EXPECT_EQ(rest.flow.forward(1, groups[1].rows, Workers(1)),
              whole.flow.forward(1, groups[1].rows, Workers(1)));
  }
}

TEST(HeldOut, AllRanksKeepTheSameLayers) {
  const GroupSet groups = make_gaussian_groups(2, 5, 400, 9);
  FitOptions options;
  options.layers = 6;
  options.threads = 1;
  options.validation_fraction = 0.3;
  std::vector<Fit> fits(3);
  run_ranks(3, [&](Communicator& comm) {
    GroupSet mine;
    for (Index m = 0; m < 2; ++m) {
      const Index begin = comm.rank() * 120;
      const Index count = comm.rank() == 2 ? 160 : 120;
      mine.add(groups[m].name, groups[m].rows.middle_rows(begin, count));
    }
    fits[static_cast<std::size_t>(comm.rank())] = fit_flow(mine, options, comm, {});
  });
  for (const Fit& fit : fits) {
    ASSERT_EQ(fit.record.layers.size(), fits[0].record.layers.size());
    EXPECT_EQ(fit.record.layers.back().held_out, fits[0].record.layers.back().held_out);
    EXPECT_EQ(fit.flow.forward(0, groups[0].rows, Workers(1)),
              fits[0].flow.forward(0, groups[0].rows, Workers(1)));
  }
}

TEST(HeldOut, TooFewRowsAreRefused) {
  const GroupSet groups = make_gaussian_groups(2, 3, 20, 10);
  FitOptions options;
  options.method = Method::kInb;
  options.validation_fraction = 0.05;
  try {
    fit_flow(groups, options);
    FAIL() << "judged by one row";
  } catch (const InvalidOption& error) {
    EXPECT_THAT(error.what(), HasSubstr("validation_fraction is 0.05"));
    EXPECT_THAT(error.what(), HasSubstr("20 rows, of which 1 would be held out"));
  }
}

// Pictures show two errors: they are of use only if divergences of other rows stray as far.
TEST(HeldOutJudgement, TellsHowFarItStraysFromDrawToDraw) {
  constexpr std::uint64_t kDraws = 60;
  double sum = 0, squares = 0, error = 0;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const HeldOutJudgement seen = judge_rows(normal_groups(2, 150, 3, 1.0, 100 + seed), kWorkers);
    sum += seen.divergence / kDraws;
    squares += seen.divergence * seen.divergence / kDraws;
    error += seen.error() / kDraws;
  }
  // A deviation of 60 draws is sure to a tenth.
  EXPECT_NEAR(error / std::sqrt(squares - sum * sum), 1, 0.3);
}

}  // namespace held_out_test
}  // namespace conflux

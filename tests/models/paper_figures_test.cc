// The published figures of the moons, on the moons as the paper made them.

#include <gtest/gtest.h>

#include <filesystem>

#include "conflux/data/table_groups.h"
#include "conflux/metrics/paper_wd.h"
#include "conflux/metrics/transport_cost.h"
#include "conflux/models/fit.h"

namespace conflux {
namespace {

struct Figures {
  double paper_wd = 0;
  double tc = 0;
};

// Runs scatter by a fifth; 20 of them pin the mean down whatever the rounding of the machine.
Figures mean_over_seeds(Method method, int seeds) {
  const std::filesystem::path folder(CONFLUX_TEST_DATA);
  const GroupSet train = read_csv(folder / "moons_train.csv");
  const GroupSet test = read_csv(folder / "moons_test.csv");
  const Workers workers(2);
  Figures mean;
  for (int seed = 0; seed < seeds; ++seed) {
    FitOptions options = paper_options(method, 2);
    options.seed = static_cast<std::uint64_t>(seed);
    const Fit fit = fit_flow(train, options);
    for (const Index from : {0, 1}) {
      const Index to = 1 - from;
      const Matrix translated = fit.flow.translate(from, to, test[from].rows, workers);
      const Matrix latent = fit.flow.forward(from, test[from].rows, workers);
      mean.paper_wd += paper_wd(test[to].rows, translated, {}, workers).value / (2 * seeds);
      mean.tc += transport_cost(test[from].rows, latent, workers) / (2 * seeds);
    }
  }
  return mean;
}

TEST(PaperFigures, NbOnMoonsIsWithinHalfAPercent) {
  const Figures ours = mean_over_seeds(Method::kNb, 1);
  EXPECT_NEAR(ours.paper_wd, 0.0788, 0.005 * 0.0788);
  EXPECT_NEAR(ours.tc, 0.4013, 0.005 * 0.4013);
}

TEST(PaperFigures, RandNbOnMoonsIsWithinTwoDeviations) {
  const Figures ours = mean_over_seeds(Method::kRandNb, 20);
  EXPECT_NEAR(ours.paper_wd, 0.0047, 2 * 0.0011);
  EXPECT_NEAR(ours.tc, 0.4903, 2 * 0.0205);
}

TEST(PaperFigures, InbOnMoonsIsWithinTwoDeviations) {
  const Figures ours = mean_over_seeds(Method::kInb, 20);
  EXPECT_NEAR(ours.paper_wd, 0.0025, 2 * 0.0005);
  EXPECT_NEAR(ours.tc, 0.4832, 2 * 0.0282);
}

}  // namespace
}  // namespace conflux

// Published figures of planar sets, on the sets as the paper made them.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "conflux/metrics/moves.h"
#include "conflux/tables/table_groups.h"
#include "conflux/training/fit.h"
#include "core/rng.h"
#include "metrics/paper_wd.h"
#include "tests/support/golden.h"

namespace conflux {
namespace paper_figures_test {

struct Figures {
  double paper_wd = 0;
  double tc = 0;
};

// Runs scatter by a fifth; 20 of them pin the mean down whatever the rounding of the machine.
Figures mean_over_seeds(const std::string& set, Method method, int seeds) {
  const std::filesystem::path folder = golden_folder();
  const GroupSet train = read_csv(folder / (set + "_train.csv"));
  const GroupSet test = read_csv(folder / (set + "_test.csv"));
  const Index groups = train.num_groups();
  const auto pairs = static_cast<double>(groups * (groups - 1));
  const Workers workers(2);
  Figures mean;
  for (int seed = 0; seed < seeds; ++seed) {
    FitOptions options = paper_options(method, groups);
    options.seed = static_cast<std::uint64_t>(seed);
    const Fit fit = fit_flow(train, options);
    for (Index from = 0; from < groups; ++from) {
      const Matrix latent = fit.flow.forward(from, test[from].rows, workers);
      mean.tc += transport_cost(test[from].rows.doubles(), latent, workers) /
                 (static_cast<double>(groups) * seeds);
      for (Index to = 0; to < groups; ++to) {
        if (to == from) continue;
        const Matrix translated = fit.flow.inverse(to, latent, workers);
        mean.paper_wd +=
            paper_wd(test[to].rows.doubles(), translated, {}, workers).value / (pairs * seeds);
      }
    }
  }
  return mean;
}

TEST(PaperFigures, NbOnMoonsIsWithinHalfAPercent) {
  const Figures ours = mean_over_seeds("moons", Method::kNb, 1);
  EXPECT_NEAR(ours.paper_wd, 0.0788, 0.005 * 0.0788);
  EXPECT_NEAR(ours.tc, 0.4013, 0.005 * 0.4013);
}

TEST(PaperFigures, RandNbOnMoonsIsWithinTwoDeviations) {
  const Figures ours = mean_over_seeds("moons", Method::kRandNb, 20);
  EXPECT_NEAR(ours.paper_wd, 0.0047, 2 * 0.0011);
  EXPECT_NEAR(ours.tc, 0.4903, 2 * 0.0205);
}

TEST(PaperFigures, InbOnMoonsIsWithinTwoDeviations) {
  const Figures ours = mean_over_seeds("moons", Method::kInb, 20);
  EXPECT_NEAR(ours.paper_wd, 0.0025, 2 * 0.0005);
  EXPECT_NEAR(ours.tc, 0.4832, 2 * 0.0282);
}

// Printed distances of four groups are twice the mean over pairs.
TEST(PaperFigures, NbOnFourGroupsIsWithinOnePercent) {
  const Figures ours = mean_over_seeds("pattern4", Method::kNb, 1);
  EXPECT_NEAR(ours.paper_wd, 0.4877 / 2, 0.01 * 0.4877 / 2);
  EXPECT_NEAR(ours.tc, 9.0844, 0.01 * 9.0844);
}

// Nothing is drawn, so that the cost agrees to all digits.
TEST(PaperFigures, DdOnFourGroupsIsWithinHalfAPercent) {
  const Figures ours = mean_over_seeds("pattern4", Method::kDd, 1);
  EXPECT_NEAR(ours.paper_wd, 0.1542 / 2, 0.005 * 0.1542 / 2);
  EXPECT_NEAR(ours.tc, 9.4338, 1e-4);
}

// Groups of tight clusters leave most bins of the histograms empty. With the slopes that empty bins
// would like to have, rows come back to 5e-2.
TEST(PaperPreset, StackedHistogramsCanBeUndone) {
  Stream stream(5, Purpose::kTest);
  const auto draw = [&](const Matrix& centers) {
    Matrix rows = 0.05 * stream.normal_matrix(400, centers.cols());
    for (Index i = 0; i < rows.rows(); ++i) rows.row(i) += centers.row(i % centers.rows());
    return rows;
  };
  std::vector<Matrix> train, test;
  for (Index m = 0; m < 5; ++m) {
    const Matrix centers = 2 * stream.normal_matrix(3, 6);
    train.push_back(draw(centers));
    test.push_back(draw(centers));
  }
  GroupSet groups;
  for (const Matrix& rows : train) groups.add(std::to_string(groups.num_groups()), rows);
  FitOptions options = paper_options(Method::kInb, 5);
  options.layers = 30;
  options.directions = 2;
  const Fit fit = fit_flow(groups, options);
  const Workers workers(2);
  for (Index m = 0; m < 5; ++m) {
    const Matrix latent = fit.flow.forward(m, test[m], workers);
    EXPECT_LT((fit.flow.inverse(m, latent, workers) - test[m]).cwiseAbs().maxCoeff(), 1e-6) << m;
  }
}

}  // namespace paper_figures_test
}  // namespace conflux

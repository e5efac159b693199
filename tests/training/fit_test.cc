// The promises of a fit, whatever the method.

#include "conflux/training/fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "conflux/core/error.h"
#include "conflux/metrics/moves.h"
#include "conflux/toys/toy.h"
#include "core/rng.h"
#include "flow/sliced_layer.h"
#include "options/option_table.h"

namespace conflux {
namespace fit_test {

FitOptions small(Method method) {
  FitOptions options;
  options.method = method;
  const bool single = method == Method::kNb || method == Method::kGb;
  options.layers = single ? 1 : 6;
  options.search_steps = 5;
  return without_ignored(options);
}

Matrix copy(const GroupSet& groups, Index m) { return groups[m].rows.eigen(); }

class EveryMethod : public testing::TestWithParam<Method> {};

TEST_P(EveryMethod, ThreeThreadsGiveTheBitsOfOne) {
  const GroupSet groups = make_gaussian_groups(3, 12, 150, 1);
  for (const Estimator estimator : {Estimator::kQuantile, Estimator::kHistogram}) {
    FitOptions options = small(GetParam());
    options.estimator = estimator;
    options.split = Split::kRandomHalf;
    options = without_ignored(options);
    options.threads = 1;
    const Fit one = fit_flow(groups, options);
    options.threads = 3;
    const Fit three = fit_flow(groups, options);
    for (Index m = 0; m < 3; ++m) {
      EXPECT_EQ(one.flow.forward(m, groups[m].rows, Workers(1)),
                three.flow.forward(m, groups[m].rows, Workers(3)));
    }
  }
}

TEST_P(EveryMethod, InverseUndoesForwardAlsoFarOutside) {
  const GroupSet groups = make_gaussian_groups(3, 12, 150, 2);
  const Workers workers(2);
  for (const Estimator estimator : {Estimator::kQuantile, Estimator::kHistogram}) {
    FitOptions options = small(GetParam());
    options.estimator = estimator;
    options = without_ignored(options);
    const Fit fit = fit_flow(groups, options);
    for (const double reach : {1.0, 1e3, 1e6}) {
      for (Index m = 0; m < 3; ++m) {
        const Matrix x = reach * copy(groups, m);
        const Matrix back = fit.flow.inverse(m, fit.flow.forward(m, x, workers), workers);
        EXPECT_LT(round_trip_error(x, back).largest, 1e-9) << reach;
        EXPECT_LT(round_trip_error(x, fit.flow.translate(m, m, x, workers)).largest, 1e-9);
      }
    }
  }
}

TEST_P(EveryMethod, GroupsThatAreEqualStayWhereTheyAre) {
  const GroupSet one = make_gaussian_groups(1, 5, 400, 3);
  GroupSet groups;
  groups.add("a", one[0].rows);
  groups.add("b", one[0].rows);
  const Fit fit = fit_flow(groups, small(GetParam()));
  const Matrix moved = fit.flow.forward(0, one[0].rows, Workers(1));
  EXPECT_LT((moved - copy(one, 0)).cwiseAbs().maxCoeff(), 1e-7);
}

// Independent samples of one law differ by noise of order 1/sqrt(n), and maps may follow only that.
TEST_P(EveryMethod, SamplesOfOneLawMoveByNoMoreThanSamplingNoise) {
  Stream stream(4, Purpose::kTest);
  GroupSet groups;
  groups.add("a", stream.normal_matrix(2000, 4));
  groups.add("b", stream.normal_matrix(2000, 4));
  const Fit fit = fit_flow(groups, small(GetParam()));
  const Matrix moved = fit.flow.forward(0, groups[0].rows, Workers(1));
  const double mean_square = (moved - copy(groups, 0)).squaredNorm() / 2000;
  EXPECT_LT(mean_square, 4 * 10.0 / 2000);
}

TEST_P(EveryMethod, AShiftIsUndoneExactly) {
  const GroupSet one = make_gaussian_groups(1, 3, 500, 5);
  GroupSet groups;
  groups.add("a", one[0].rows);
  groups.add("b", Matrix(copy(one, 0).array() + 7.5));
  FitOptions options = small(GetParam());
  options.strength = 1;
  options.directions = 3;
  const Fit fit = fit_flow(groups, options);
  const Matrix as_b = fit.flow.translate(0, 1, groups[0].rows, Workers(1));
  EXPECT_LT((as_b - copy(groups, 1)).cwiseAbs().maxCoeff(), 1e-5);
}

TEST_P(EveryMethod, GaussiansWithDifferentCovariancesEndAlike) {
  const GroupSet groups = make_gaussian_groups(2, 4, 3000, 6);
  FitOptions options = small(GetParam());
  options.strength = 1;
  options.layers = *options.layers == 1 ? 1 : 20;
  const Fit fit = fit_flow(groups, options);
  const auto covariance = [&](Index m, bool moved) {
    const Matrix rows = moved ? fit.flow.forward(m, groups[m].rows, Workers(1)) : copy(groups, m);
    const Matrix centered = rows.rowwise() - rows.colwise().mean();
    return Matrix(centered.transpose() * centered / 3000);
  };
  const double before = (covariance(0, false) - covariance(1, false)).norm();
  const double after = (covariance(0, true) - covariance(1, true)).norm();
  // NB matches variances only; the others match all of the covariance.
  EXPECT_LT(after, (GetParam() == Method::kNb ? 0.9 : 0.15) * before);
}

TEST_P(EveryMethod, ReportsWhatItDid) {
  const GroupSet groups = make_moons({.samples = 200});
  const FitOptions options = small(GetParam());
  const Fit fit = fit_flow(groups, options);
  ASSERT_EQ(static_cast<Index>(fit.record.layers.size()), *options.layers);
  EXPECT_EQ(fit.record.group_sizes, (std::vector<Index>{200, 200}));
  EXPECT_EQ(fit.record.options.directions, 2);
  EXPECT_GT(fit.record.seconds, 0);
  for (const LayerRecord& layer : fit.record.layers) {
    if (layer.kind != "sliced") continue;
    EXPECT_GE(layer.spread_before, layer.spread_at_start);
    EXPECT_GT(layer.evaluations, layer.steps);
    EXPECT_GT(layer.seconds, 0);
  }
  if (fit.record.layers[0].kind == "sliced") {
    // A strength of 0.2 leaves 0.8^2 of the squared distance along the layer's directions.
    EXPECT_NEAR(fit.record.layers[0].spread_after / fit.record.layers[0].spread_before, 0.64, 0.05);
    const Throughput speed = throughput_of(fit.record);
    EXPECT_GT(speed.gflops_per_second, 0);
    EXPECT_GT(speed.gigabytes_per_second, 0);
    EXPECT_GT(speed.passes, 0);
    EXPECT_GT(speed.product_share, 0);
    EXPECT_GT(speed.sort_share, 0);
    EXPECT_GE(speed.rest_share, 0);
    EXPECT_NEAR(speed.product_share + speed.sort_share + speed.rest_share, 1, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, EveryMethod,
                         testing::Values(Method::kNb, Method::kInb, Method::kRandNb, Method::kNbInb,
                                         Method::kNbRandNb, Method::kGb, Method::kGbInb),
                         [](const auto& each) {
                           std::string name(name_of(each.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Fit, ScalingIsUndoneExactlyInDistribution) {
  const GroupSet one = make_gaussian_groups(1, 3, 500, 7);
  GroupSet groups;
  groups.add("a", one[0].rows);
  groups.add("b", Matrix(3 * copy(one, 0)));
  for (const Method method : {Method::kNb, Method::kGb}) {
    const Fit fit = fit_flow(groups, small(method));
    const Matrix as_b = fit.flow.translate(0, 1, groups[0].rows, Workers(1));
    EXPECT_LT((as_b - copy(groups, 1)).cwiseAbs().maxCoeff(), 1e-9) << name_of(method);
  }
}

TEST(Fit, WeightOneLeavesItsGroupAsItIs) {
  const GroupSet groups = make_gaussian_groups(2, 5, 300, 8);
  for (const Estimator estimator : {Estimator::kQuantile, Estimator::kHistogram}) {
    for (const Method method : {Method::kNb, Method::kInb, Method::kGb}) {
      FitOptions options = small(method);
      options.estimator = estimator;
      options.weights = {1, 0};
      options = without_ignored(options);
      const Fit fit = fit_flow(groups, options);
      const Matrix moved = fit.flow.forward(0, groups[0].rows, Workers(1));
      EXPECT_LT((moved - copy(groups, 0)).cwiseAbs().maxCoeff(), 1e-9)
          << name_of(method) << " " << name_of(estimator);
      const Matrix other = fit.flow.forward(1, groups[1].rows, Workers(1));
      EXPECT_GT((other - copy(groups, 1)).norm(), 1);
    }
  }
}

TEST(Fit, TargetStaysAndTheOthersComeToIt) {
  const GroupSet groups = make_gaussian_groups(3, 5, 600, 14);
  for (const Method method : {Method::kNb, Method::kInb, Method::kGb}) {
    FitOptions options = small(method);
    options.target = groups[1].name;
    options.strength = 1;
    const Fit fit = fit_flow(groups, options);
    EXPECT_EQ(fit.record.options.weights, (GroupWeights{0, 1, 0}));
    const Matrix target = fit.flow.forward(1, groups[1].rows, Workers(1));
    EXPECT_LT((target - copy(groups, 1)).cwiseAbs().maxCoeff(), 1e-9) << name_of(method);
    for (const Index m : {0, 2}) {
      const auto mean_gap = [&](const Matrix& rows) {
        return (rows.colwise().mean() - target.colwise().mean()).norm();
      };
      const Matrix moved = fit.flow.forward(m, groups[m].rows, Workers(1));
      EXPECT_LT(mean_gap(moved), 0.15 * mean_gap(copy(groups, m))) << name_of(method);
    }
  }
}

// The target alone would see no difference between the groups, and the search no direction.
TEST(Fit, SearchSeesGroupsWithoutWeight) {
  const GroupSet groups = make_gaussian_groups(2, 20, 400, 15);
  FitOptions options = small(Method::kInb);
  options.directions = 2;
  options.target = groups[0].name;
  const Fit fit = fit_flow(groups, options);
  EXPECT_GT(fit.record.layers[0].spread_before, 2 * fit.record.layers[0].spread_at_start);
}

TEST(Fit, OrderOfGroupsDoesNotMatter) {
  const GroupSet groups = make_gaussian_groups(3, 6, 200, 9);
  GroupSet turned;
  for (const Index m : {2, 0, 1}) turned.add(groups[m].name, groups[m].rows);
  for (const Method method : {Method::kNb, Method::kGb, Method::kInb}) {
    FitOptions options = small(method);
    options.layers = 1;
    options.directions = 2;
    options.inner_steps = 0;  // a long climb would amplify rounding
    options = without_ignored(options);
    const Fit fit = fit_flow(groups, options);
    const Fit other = fit_flow(turned, options);
    const Matrix a = fit.flow.forward(2, groups[2].rows, Workers(1));
    const Matrix b = other.flow.forward(0, groups[2].rows, Workers(1));
    // Sums run in another order, in single precision within the search; over many layers that
    // would lead to other, equally good directions.
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), method == Method::kInb ? 1e-4 : 1e-8)
        << name_of(method);
  }
}

TEST(Fit, RowsWithWholeMassesEqualRepeatedRows) {
  const GroupSet groups = make_gaussian_groups(2, 3, 60, 10);
  GroupSet weighted;
  GroupSet repeated;
  for (Index m = 0; m < 2; ++m) {
    std::vector<double> masses;
    std::vector<Index> rows;
    for (Index i = 0; i < 60; ++i) {
      masses.push_back(static_cast<double>((i + m) % 4));
      rows.insert(rows.end(), static_cast<std::size_t>((i + m) % 4), i);
    }
    weighted.add(groups[m].name, copy(groups, m), std::move(masses));
    Matrix copies(static_cast<Index>(rows.size()), 3);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      copies.row(static_cast<Index>(r)) = copy(groups, m).row(rows[r]);
    }
    repeated.add(groups[m].name, std::move(copies));
  }
  for (const Estimator estimator : {Estimator::kQuantile, Estimator::kHistogram}) {
    FitOptions options = small(Method::kNb);
    options.estimator = estimator;
    options.bins = 10;
    options.knots = 8;
    const Fit a = fit_flow(weighted, options);
    const Fit b = fit_flow(repeated, options);
    const Matrix za = a.flow.forward(0, groups[0].rows, Workers(1));
    const Matrix zb = b.flow.forward(0, groups[0].rows, Workers(1));
    // Histogram tails start at half a row, and rows are counted, not masses.
    EXPECT_LT((za - zb).cwiseAbs().maxCoeff(), estimator == Estimator::kQuantile ? 1e-9 : 0.5);
  }
}

TEST(Fit, HundredLayersIn784DimensionsAreUndone) {
  const GroupSet groups = make_gaussian_groups(2, 784, 60, 11);
  FitOptions options;
  options.layers = 100;
  options.search_steps = 1;
  options.directions = 5;
  options.strength = 1;
  options.validation_fraction = 0;
  const Fit fit = fit_flow(groups, options);
  const Workers workers(2);
  ASSERT_EQ(fit.flow.num_layers(), 100);
  for (const double reach : {1.0, 1e4}) {
    const Matrix x = reach * copy(groups, 0);
    const Matrix back = fit.flow.inverse(0, fit.flow.forward(0, x, workers), workers);
    EXPECT_LT(round_trip_error(x, back).largest, 1e-9);
  }
}

TEST(Fit, UnitCubeKeepsTranslationsNearTheCubeAndInvertible) {
  Stream stream(12, Purpose::kTest);
  GroupSet groups;
  const Matrix noise = stream.normal_matrix(400, 6);
  groups.add("a", Matrix((0.05 * noise.array() + 0.2).cwiseMin(1).cwiseMax(0)));
  groups.add("b", Matrix((0.10 * noise.array() + 0.8).cwiseMin(1).cwiseMax(0)));
  const Workers workers(2);
  const Fit fit = fit_flow(groups, small(Method::kInb));
  EXPECT_EQ(fit.record.options.unit_cube, UnitCube::kOn);
  const Matrix as_b = fit.flow.translate(0, 1, groups[0].rows, workers);
  EXPECT_GT(as_b.minCoeff(), -1e-4);
  EXPECT_LT(as_b.maxCoeff(), 1 + 1e-4);
  const Matrix back = fit.flow.translate(1, 0, as_b, workers);
  EXPECT_LT((back - copy(groups, 0)).cwiseAbs().maxCoeff(), 1e-9);
}

// Income in cents and age in years: layers see the income only, which a user must know.
TEST(Fit, WarnsOfUnlikeUnits) {
  GroupSet groups;
  for (const double shift : {0.0, 1.0}) {
    Matrix rows =
        Stream(21, Purpose::kTest, static_cast<std::uint64_t>(shift)).normal_matrix(600, 2);
    rows.col(0).array() += shift;
    rows.col(1) = 1e6 * (0.5 * rows.col(1)).array().exp();
    groups.add(shift > 0 ? "late" : "early", std::move(rows));
  }
  FitOptions options;
  options.directions = 1;
  options.layers = 40;
  options.validation_fraction = 0;
  options.strength = 0.3;
  const Fit fit = fit_flow(groups, options);
  EXPECT_EQ(fit.record.warnings.size(), 1U);
  const Matrix early = fit.flow.forward(0, groups[0].rows, Workers());
  const Matrix late = fit.flow.forward(1, groups[1].rows, Workers());
  EXPECT_GT(std::abs(early.col(0).mean() - late.col(0).mean()), 0.1);
}

// Every second layer of a fit on images moves a patch only, and is undone like any other.
TEST(Fit, LocalLayersMoveAPatchOfTheImage) {
  const GroupSet groups = make_gaussian_groups(2, 7 * 14 * 2, 200, 16);
  FitOptions options = small(Method::kInb);
  options.image = "7x14x2";
  const Fit fit = fit_flow(groups, options);
  ASSERT_EQ(fit.flow.num_layers(), 6);
  for (Index l = 0; l < 6; ++l) {
    const auto& frame = dynamic_cast<const SlicedLayer&>(fit.flow.layer(l)).frame();
    EXPECT_LT(frame.drift(), 1e-10);
    std::set<Index> rows;
    std::set<Index> columns;
    for (Index f = 0; f < frame.dim(); ++f) {
      if (frame.columns().row(f).norm() == 0) continue;
      rows.insert(f / 28);
      columns.insert(f / 2 % 14);
    }
    EXPECT_EQ(rows.size(), l % 2 == 1 ? 3u : 7u);
    EXPECT_EQ(columns.size(), l % 2 == 1 ? 6u : 14u);
    EXPECT_EQ(*rows.rbegin() - *rows.begin() + 1, static_cast<Index>(rows.size()));
    EXPECT_EQ(*columns.rbegin() - *columns.begin() + 1, static_cast<Index>(columns.size()));
  }
  const Matrix x = copy(groups, 0);
  const Matrix back = fit.flow.inverse(0, fit.flow.forward(0, x, Workers(2)), Workers(2));
  EXPECT_LT(round_trip_error(x, back).largest, 1e-9);
}

TEST(Fit, CallbackSeesEveryLayerAndCanEndTheFit) {
  const GroupSet groups = make_moons({.samples = 100});
  SelfCommunicator comm;
  std::vector<Index> seen;
  const Fit fit = fit_flow(groups, small(Method::kInb), comm, [&](const LayerRecord& record) {
    seen.push_back(record.layer);
    return record.layer < 2;
  });
  EXPECT_EQ(seen, (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(fit.flow.num_layers(), 3);
}

TEST(Fit, OtherSeedGivesOtherDirections) {
  const GroupSet groups = make_gaussian_groups(2, 8, 100, 13);
  FitOptions options = small(Method::kRandNb);
  const Matrix a = fit_flow(groups, options).flow.forward(0, groups[0].rows, Workers(1));
  const Matrix again = fit_flow(groups, options).flow.forward(0, groups[0].rows, Workers(1));
  options.seed = 1;
  const Matrix b = fit_flow(groups, options).flow.forward(0, groups[0].rows, Workers(1));
  EXPECT_EQ(a, again);
  EXPECT_NE(a, b);
}

}  // namespace fit_test
}  // namespace conflux

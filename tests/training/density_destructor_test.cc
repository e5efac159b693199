#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "conflux/metrics/moves.h"
#include "conflux/model/model.h"
#include "conflux/toys/toy.h"
#include "core/rng.h"

namespace conflux {
namespace density_destructor_test {

Matrix copy(const GroupSet& groups, Index m) { return groups[m].rows.eigen(); }

GroupSet cube_groups(Index rows, Index dim, std::uint64_t seed) {
  GroupSet groups;
  Stream stream(seed, Purpose::kTest);
  for (const double power : {0.5, 2.0, 3.0}) {
    Matrix values(rows, dim);
    for (Index i = 0; i < rows; ++i) {
      const double common = stream.uniform();
      for (Index j = 0; j < dim; ++j) {
        values(i, j) = std::pow(0.5 * (common + stream.uniform()), power);
      }
    }
    groups.add(std::to_string(power), std::move(values));
  }
  return groups;
}

struct Case {
  const char* name;
  DdStack stack;
  bool cube;
};

class Dd : public testing::TestWithParam<Case> {
 protected:
  GroupSet groups(Index rows, Index dim, std::uint64_t seed) const {
    return GetParam().cube ? cube_groups(rows, dim, seed)
                           : make_gaussian_groups(3, dim, rows, seed);
  }
  FitOptions options(Index layers) const {
    FitOptions out;
    out.method = Method::kDd;
    out.dd_stack = GetParam().stack;
    out.layers = layers;
    return out;
  }
  Model fit(const GroupSet& data, const FitOptions& chosen) const {
    Fit fit = fit_flow(data, chosen);
    return {.flow = std::move(fit.flow), .record = std::move(fit.record)};
  }
  bool ends_at_normal_law() const {
    return GetParam().stack == DdStack::kPcaUnscaled && !GetParam().cube;
  }
};

INSTANTIATE_TEST_SUITE_P(Each, Dd,
                         testing::Values(Case{"pca", DdStack::kPca, false},
                                         Case{"pca_cube", DdStack::kPca, true},
                                         Case{"unscaled", DdStack::kPcaUnscaled, false},
                                         Case{"random", DdStack::kRandom, false},
                                         Case{"random_cube", DdStack::kRandom, true}),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(Dd, TakesEveryGroupToTheSameLaw) {
  const GroupSet data = groups(2000, 3, 1);
  FitOptions chosen = options(12);
  chosen.pseudo_count = 1;
  const Model model = fit(data, chosen);
  for (Index m = 0; m < 3; ++m) {
    Matrix latent = model.flow.forward(m, data[m].rows, Workers(2));
    if (ends_at_normal_law()) {
      latent = latent.unaryExpr([](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); });
    }
    const Matrix centered = latent.array() - 0.5;
    const Matrix moments = 12 * centered.transpose() * centered / 2000;
    // Uniform and uncorrelated, up to 1 / sqrt(n) times a few.
    EXPECT_LT(centered.colwise().mean().cwiseAbs().maxCoeff(), 0.03);
    EXPECT_LT((moments - Matrix::Identity(3, 3)).cwiseAbs().maxCoeff(), 0.12) << moments;
    EXPECT_GT(latent.minCoeff(), -0.1);
    EXPECT_LT(latent.maxCoeff(), 1.1);
  }
}

TEST_P(Dd, ThreeThreadsGiveTheBitsOfOne) {
  const GroupSet data = groups(150, 12, 2);
  FitOptions chosen = options(5);
  chosen.threads = 1;
  const Fit one = fit_flow(data, chosen);
  chosen.threads = 3;
  const Fit three = fit_flow(data, chosen);
  for (Index m = 0; m < 3; ++m) {
    EXPECT_EQ(one.flow.forward(m, data[m].rows, Workers(1)),
              three.flow.forward(m, data[m].rows, Workers(3)));
  }
}

TEST_P(Dd, InverseUndoesForwardAlsoFarOutside) {
  const GroupSet data = groups(300, 6, 3);
  const Workers workers(2);
  const Fit fit = fit_flow(data, options(8));
  for (const double reach : {1.0, 1e3, 1e6}) {
    for (Index m = 0; m < 3; ++m) {
      const Matrix x = reach * copy(data, m);
      const Matrix back = fit.flow.inverse(m, fit.flow.forward(m, x, workers), workers);
      // Near 1 the distance to 1 has 10 digits at a margin of 1e-6.
      EXPECT_LT(round_trip_error(x, back).largest, 1e-8) << reach;
    }
  }
}

TEST_P(Dd, GroupsThatAreEqualHaveEqualMaps) {
  const GroupSet data = groups(300, 4, 4);
  GroupSet twins;
  twins.add("a", data[1].rows);
  twins.add("b", data[1].rows);
  const Fit fit = fit_flow(twins, options(6));
  EXPECT_EQ(fit.flow.forward(0, data[0].rows, Workers(1)),
            fit.flow.forward(1, data[0].rows, Workers(1)));
}

// A group learns nothing from the others.
TEST_P(Dd, OtherGroupsDoNotMatter) {
  const GroupSet data = groups(200, 4, 5);
  GroupSet pair;
  pair.add("x", data[2].rows);
  pair.add("y", data[0].rows);
  const Fit all = fit_flow(data, options(5));
  const Fit two = fit_flow(pair, options(5));
  EXPECT_EQ(all.flow.forward(0, data[1].rows, Workers(1)),
            two.flow.forward(1, data[1].rows, Workers(1)));
}

TEST_P(Dd, AddedGroupGetsTheBitsThatItWouldHaveHad) {
  const GroupSet data = groups(200, 4, 6);
  GroupSet old;
  old.add(data[0].name, data[0].rows);
  old.add(data[1].name, data[1].rows);
  const Model whole = fit(data, options(5));
  const Model wider = add_group(fit(old, options(5)), data[2].name, data[2].rows, {}, Workers(2));
  for (Index m = 0; m < 3; ++m) {
    EXPECT_EQ(whole.flow.forward(m, data[0].rows, Workers(1)),
              wider.flow.forward(m, data[0].rows, Workers(1)));
  }
}

TEST_P(Dd, ResumedFitHasTheBitsOfAnUninterruptedOne) {
  const GroupSet data = groups(120, 5, 7);
  FitOptions chosen = options(6);
  const Fit whole = fit_flow(data, chosen);
  for (const Index stages : {1, 4, 6}) {
    SelfCommunicator comm;
    Fit part;
    FitControl keep;
    keep.on_progress = [&](const Fit& so_far) { part = so_far; };
    fit_flow(
        data, chosen, comm, [&](const LayerRecord& record) { return record.layer + 1 < stages; },
        keep);
    ASSERT_EQ(static_cast<Index>(part.record.layers.size()), stages);
    const Fit rest = fit_flow(data, chosen, comm, {}, {.on_progress = {}, .resume = &part});
    ASSERT_EQ(rest.flow.num_layers(), whole.flow.num_layers());
    EXPECT_EQ(rest.flow.forward(1, data[0].rows, Workers(1)),
              whole.flow.forward(1, data[0].rows, Workers(1)));
  }
  SelfCommunicator comm;
  const Fit again = fit_flow(data, chosen, comm, {}, {.on_progress = {}, .resume = &whole});
  EXPECT_EQ(again.flow.num_layers(), whole.flow.num_layers());
}

// The law of a density: its integral. On a line a grid resolves the 256 bins; in the plane, where
// axes turn, it does so roughly.
TEST_P(Dd, DensitiesIntegrateToOne) {
  for (const Index dim : {1, 2}) {
    const GroupSet data = groups(500, dim, 8);
    const Model model = fit(data, options(4));
    const double low = GetParam().cube ? -0.5 : -14, high = GetParam().cube ? 1.5 : 14;
    const Index steps = dim == 1 ? 200000 : 700;
    const double width = (high - low) / static_cast<double>(steps);
    Matrix grid(dim == 1 ? steps : steps * steps, dim);
    for (Index i = 0; i < grid.rows(); ++i) {
      grid(i, 0) = low + width * (static_cast<double>(i % steps) + 0.5);
      if (dim == 2) grid(i, 1) = low + width * (static_cast<double>(i / steps) + 0.5);
    }
    for (Index m = 0; m < 3; ++m) {
      double sum = 0;
      for (const double log : log_density(model, m, grid, Workers(2))) {
        sum += std::exp(log) * (dim == 1 ? width : width * width);
      }
      EXPECT_NEAR(sum, 1, dim == 1 ? 1e-3 : 0.15) << dim;
    }
  }
}

TEST_P(Dd, DensitiesAreThoseOfTheInverseAndFinite) {
  const GroupSet data = groups(500, 3, 9);
  const Model model = fit(data, options(5));
  const std::vector<double> logs = log_density(model, 1, data[1].rows, Workers(2));
  Matrix latent = copy(data, 1);
  std::vector<double> log_det(500);
  model.flow.forward_in_place(1, Rows(latent), log_det.data(), Workers(1));
  for (std::size_t i = 0; i < logs.size(); ++i) {
    ASSERT_TRUE(std::isfinite(logs[i]));
    const auto row = latent.row(static_cast<Index>(i));
    if (!ends_at_normal_law() && row.minCoeff() > 1e-6 && row.maxCoeff() < 1 - 1e-6) {
      // Inside the cube the law is uniform.
      EXPECT_NEAR(logs[i], log_det[i], 1e-9);
    }
  }
  const Matrix far = Matrix::Constant(1, 3, 1e3);
  EXPECT_LT(log_density(model, 1, far, Workers(1))[0], -100);
}

// The density of the right group should be the highest on its own rows.
TEST_P(Dd, TellsGroupsApartByTheirDensities) {
  const GroupSet data = groups(1000, 2, 10);
  const Model model = fit(data, options(6));
  const std::vector<double> own = log_density(model, 0, data[0].rows, Workers(2));
  const std::vector<double> other = log_density(model, 2, data[0].rows, Workers(2));
  double difference = 0;
  for (std::size_t i = 0; i < own.size(); ++i) difference += own[i] - other[i];
  EXPECT_GT(difference / 1000, 0.1);
}

// The mean log-density of new rows is at most the negative entropy of the law they are from.
TEST(DensityDestructor, FindsTheEntropyOfANormalLaw) {
  Stream stream(70, Purpose::kTest);
  GroupSet data;
  const Matrix mix = stream.normal_matrix(2, 2);
  data.add("a", Matrix(stream.normal_matrix(4000, 2) * mix));
  data.add("b", stream.normal_matrix(100, 2));
  Fit fit = fit_flow(data, {.method = Method::kDd, .layers = 6});
  const Model model{.flow = std::move(fit.flow), .record = std::move(fit.record)};
  const Matrix fresh = stream.normal_matrix(4000, 2) * mix;
  const std::vector<double> logs = log_density(model, 0, fresh, Workers(2));
  double mean = 0;
  for (const double log : logs) mean += log / 4000;
  const double determinant = mix(0, 0) * mix(1, 1) - mix(0, 1) * mix(1, 0);
  const double entropy = std::log(2 * std::numbers::pi) + 1 + std::log(std::abs(determinant));
  // 256 bins per feature for 4000 rows cost about 0.06 of density each.
  EXPECT_NEAR(mean, -entropy, 0.25);
  EXPECT_LT(mean, -entropy + 0.05);
}

TEST(DensityDestructor, DensitiesNeedDd) {
  const GroupSet data = make_gaussian_groups(2, 3, 50, 11);
  Fit fit = fit_flow(data, {.method = Method::kNb});
  const Model model{.flow = std::move(fit.flow), .record = std::move(fit.record)};
  EXPECT_THROW(log_density(model, 0, data[0].rows, Workers(1)), InvalidOption);
}

TEST(DensityDestructor, RefusesOptionsThatItCannotFollow) {
  const GroupSet data = make_gaussian_groups(2, 3, 50, 12);
  const auto refusal = [&](FitOptions options) -> std::string {
    options.method = Method::kDd;
    try {
      fit_flow(data, options);
    } catch (const InvalidOption& error) {
      return error.what();
    }
    return "accepted";
  };
  using testing::HasSubstr;
  EXPECT_THAT(refusal({.target = data[0].name}), HasSubstr("target is"));
  EXPECT_THAT(refusal({.strength = 0.5}), HasSubstr("strength is 0.5 but dd"));
  EXPECT_THAT(refusal({.validation_fraction = 0.2}), HasSubstr("validation_fraction is 0.2"));
  EXPECT_THAT(refusal({.split = Split::kFixedHalf}), HasSubstr("split is fixed-half"));
}

TEST(DensityDestructor, WarnsOfFewRows) {
  const GroupSet data = make_gaussian_groups(2, 30, 20, 13);
  const Fit fit = fit_flow(data, {.method = Method::kDd, .layers = 3});
  ASSERT_EQ(fit.record.warnings.size(), 2u);
  EXPECT_THAT(fit.record.warnings[0], testing::HasSubstr("20 rows for 30 features"));
}

}  // namespace density_destructor_test
}  // namespace conflux

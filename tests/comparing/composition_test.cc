#include "comparing/composition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "conflux/metrics/moves.h"
#include "conflux/training/fit.h"
#include "core/rng.h"
#include "kernels/normal.h"
#include "tests/support/mixtures.h"

namespace conflux {
namespace composition_test {

using ::testing::HasSubstr;

const Workers kWorkers(2);

GateDecision decide(const GroupSet& groups, FitOptions options = {}) {
  return decide_gate(groups, options, 1, kWorkers);
}

// Unequal proportions of separate types: aligned globally, types would be fused.
TEST(DecideGate, KeepsTypesApartThatGroupsHoldInOtherShares) {
  for (const double shift : {0.0, 6.0}) {
    Mixtures data;
    data.add({400, 150, 80, 80, 80}, 0);
    data.add({80, 80, 150, 240, 240}, shift);
    data.add({160, 160, 240, 240, 0}, -shift);
    data.add({12, 12, 12, 12, 12}, shift / 2);
    const GateDecision found = decide(data.groups());
    EXPECT_EQ(found.gate, Gating::kClusters) << shift;
    EXPECT_THAT(found.clusters.reason, HasSubstr("aligned within clusters"));
    ASSERT_EQ(found.clusters.groups.size(), 4U);
    EXPECT_GT(found.clusters.groups[0].parts, 1);
  }
  const GateDecision pure = decide(pure_pure_both(2).groups());
  EXPECT_EQ(pure.gate, Gating::kClusters);
  EXPECT_THAT(pure.clusters.reason, HasSubstr("c has 2 separate clusters"));
}

// Digits 0 and 1 are of this sort: every row must find a partner.
TEST(DecideGate, MakesSingleCloudsAlike) {
  Mixtures near;
  near.add({500}, 0);
  near.add({500}, 1);
  const GateDecision found = decide(near.groups());
  EXPECT_EQ(found.gate, Gating::kNone);
  EXPECT_THAT(found.clusters.reason, HasSubstr("Whole groups"));

  Mixtures apart;
  apart.add({500}, 0);
  apart.add({500}, 30);
  EXPECT_EQ(decide(apart.groups()).gate, Gating::kNone);
  EXPECT_THAT(decide(apart.groups()).clusters.reason, HasSubstr("cannot tell"));
}

// A batch effect alone needs no gate, which would only see fewer rows at a time.
TEST(DecideGate, MakesGroupsAlikeThatHoldTheSame) {
  Mixtures data;
  data.add({200, 200, 200}, 0);
  data.add({200, 200, 200}, 0.5);
  EXPECT_EQ(decide(data.groups()).gate, Gating::kNone);
  EXPECT_THAT(decide(data.groups()).clusters.reason, HasSubstr("similar proportions"));
}

/// Every feature as normal scores over all rows, with the way back to what was measured.
GroupSet as_scores(const std::vector<Matrix>& groups) {
  std::vector<Matrix> scores = groups;
  std::vector<MeasuredScale> scales;
  for (Index j = 0; j < groups.front().cols(); ++j) {
    std::vector<double> values;
    for (const Matrix& each : groups)
      values.insert(values.end(), each.col(j).begin(), each.col(j).end());
    std::sort(values.begin(), values.end());
    MeasuredScale& scale = scales.emplace_back(MeasuredScale{.values = values});
    const auto count = static_cast<double>(values.size());
    for (double below = 0.5; below < count; ++below) {
      scale.coordinates.push_back(kernels::normal_quantile(below / count, 1 - below / count));
    }
    for (Matrix& each : scores) {
      for (double& x : each.col(j)) {
        const auto at = std::lower_bound(values.begin(), values.end(), x) - values.begin();
        x = scale.coordinates[static_cast<std::size_t>(at)];
      }
    }
  }
  GroupSet out;
  out.add("north", std::move(scores[0]));
  out.add("south", std::move(scores[1]));
  out.set_measured(std::move(scales));
  return out;
}

// Flowers of three types at two sites, 75 rows each, as in a common table. Normal scores close the
// gap between the first type and the others, and sites would be aligned globally.
TEST(DecideGate, SeesTypesOfFewRowsThroughNormalScores) {
  Stream stream(5, Purpose::kTest);
  std::vector<Matrix> sites;
  for (const std::vector<Index>& counts : {std::vector<Index>{45, 15, 15}, {18, 27, 30}}) {
    Matrix& rows = sites.emplace_back(stream.normal_matrix(75, 4));
    Index at = 0;
    for (Index type = 0; type < 3; ++type) {
      for (Index i = 0; i < counts[type]; ++i, ++at) {
        rows.row(at).tail(2).array() += type == 0 ? 0 : 7 + 2 * static_cast<double>(type);
      }
    }
  }
  EXPECT_EQ(decide(as_scores(sites)).gate, Gating::kClusters);
}

TEST(DecideGate, LeavesAloneWhatWasChosenOrCannotBe) {
  const Mixtures data = pure_pure_both(2);
  const GroupSet groups = data.groups();
  FitOptions options;
  options.gate = Gating::kNone;
  EXPECT_EQ(decide(groups, options).gate, Gating::kNone);
  EXPECT_TRUE(decide(groups, options).clusters.groups.empty());
  options.gate = Gating::kClusters;
  EXPECT_EQ(decide(groups, options).gate, Gating::kClusters);
  EXPECT_EQ(decide(groups, options).clusters.reason, "");
  EXPECT_EQ(decide(groups, options).clusters.groups.size(), 3U);
  options = {};
  options.method = Method::kNb;
  EXPECT_EQ(decide(groups, options).gate, Gating::kNone);
  options = {};
  options.validation_fraction = 0.2;
  EXPECT_EQ(decide(groups, options).gate, Gating::kNone);
  EXPECT_EQ(decide_gate(groups, {}, 2, kWorkers).gate, Gating::kNone);
}

double mean_labels_around_a_row(const Flow& flow, const Mixtures& data) {
  std::vector<Index> types;
  Matrix all(0, Mixtures::kDim);
  for (std::size_t m = 0; m < data.rows.size(); ++m) {
    const Matrix moved = flow.forward(static_cast<Index>(m), data.rows[m], kWorkers);
    all.conservativeResize(all.rows() + moved.rows(), Eigen::NoChange);
    all.bottomRows(moved.rows()) = moved;
    types.insert(types.end(), data.types[m].begin(), data.types[m].end());
  }
  const std::vector<double> found = lisi(all, types, {}, kWorkers);
  double sum = 0;
  for (const double each : found) sum += each;
  return sum / static_cast<double>(found.size());
}

// The default without any option.
TEST(FitFlow, DoesNotFuseTypesByDefault) {
  const Mixtures data = pure_pure_both(1);
  const Fit fit = fit_flow(data.groups(), {});
  EXPECT_EQ(fit.record.options.gate, Gating::kClusters);
  EXPECT_THAT(fit.record.clusters.reason, HasSubstr("--gate none"));
  EXPECT_LT(mean_labels_around_a_row(fit.flow, data), 1.01);
  FitOptions whole;
  whole.gate = Gating::kNone;
  EXPECT_GT(mean_labels_around_a_row(fit_flow(data.groups(), whole).flow, data), 1.3);
}

// Four types in a row; the second group is shifted by one of them, and one row in twenty has a
// label.
Mixtures shifted_by_one_type(std::uint64_t seed) {
  Mixtures out;
  for (const double shift : {0.0, 10.0}) {
    const std::vector<Index> counts =
        shift == 0 ? std::vector<Index>{240, 180, 120, 60} : std::vector<Index>{60, 120, 180, 240};
    Stream stream(seed, Purpose::kTest, out.rows.size());
    std::vector<Index>& types = out.types.emplace_back();
    for (std::size_t type = 0; type < 4; ++type) {
      types.insert(types.end(), static_cast<std::size_t>(counts[type]), static_cast<Index>(type));
    }
    Matrix& points = out.rows.emplace_back(stream.normal_matrix(600, Mixtures::kDim));
    for (Index i = 0; i < 600; ++i) points(i, 0) += 10 * static_cast<double>(types[i]) + shift;
  }
  return out;
}

GroupSet with_few_labels(const Mixtures& data) {
  GroupSet out = data.groups();
  std::vector<std::vector<Index>> known = data.types;
  for (auto& of_group : known) {
    for (std::size_t i = 0; i < of_group.size(); ++i) {
      if (i % 20 != 0) of_group[i] = -1;
    }
  }
  out.set_labels({"r", "s", "t", "u"}, known);
  return out;
}

// Rows that the fit has not seen, without any label: those of one type meet.
TEST(FitFlow, FewLabelsSteerWhereNewRowsGo) {
  const Mixtures data = shifted_by_one_type(1), unseen = shifted_by_one_type(2);
  const auto gap = [&](const Flow& flow) {
    std::vector<Matrix> means(2, Matrix::Zero(4, Mixtures::kDim));
    for (Index m = 0; m < 2; ++m) {
      const Matrix moved = flow.forward(m, unseen.rows[m], kWorkers);
      for (Index i = 0; i < moved.rows(); ++i) {
        const Index type = unseen.types[m][i];
        means[m].row(type) +=
            moved.row(i) / std::count(unseen.types[m].begin(), unseen.types[m].end(), type);
      }
    }
    return (means[0] - means[1]).rowwise().norm().mean();
  };
  FitOptions options;
  options.gate = Gating::kLabel;
  const Fit fit = fit_flow(with_few_labels(data), options);
  EXPECT_LT(gap(fit.flow), 2);
  EXPECT_THAT(fit.record.clusters.reason, HasSubstr("which follow the labels of 5 % of the rows"));
  EXPECT_EQ(fit.record.clusters.groups.size(), 2U);
  options.gate = Gating::kClusters;
  EXPECT_GT(gap(fit_flow(with_few_labels(data), options).flow), 5);
}

TEST(FitFlow, LabelsInPartKeepBitsAndReturn) {
  const Mixtures data = shifted_by_one_type(1);
  FitOptions options;
  options.gate = Gating::kLabel;
  options.layers = 6;
  options.threads = 1;
  const Fit one = fit_flow(with_few_labels(data), options);
  options.threads = 3;
  const Fit three = fit_flow(with_few_labels(data), options);
  const Matrix there = one.flow.forward(1, data.rows[1], kWorkers);
  EXPECT_EQ(there, three.flow.forward(1, data.rows[1], kWorkers));
  EXPECT_LT((one.flow.inverse(1, there, kWorkers) - data.rows[1]).cwiseAbs().maxCoeff(), 1e-9);
  SelfCommunicator comm;
  Index left = 3;
  const Fit half = fit_flow(with_few_labels(data), options, comm,
                            [&](const LayerRecord&) { return --left > 0; });
  FitControl control;
  control.resume = &half;
  const Fit resumed = fit_flow(with_few_labels(data), options, comm, {}, control);
  EXPECT_EQ(there, resumed.flow.forward(1, data.rows[1], kWorkers));
  EXPECT_EQ(resumed.record.clusters.reason, one.record.clusters.reason);
}

}  // namespace composition_test
}  // namespace conflux

#include "training/composition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "conflux/metrics/lisi.h"
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

// Unequal shares of types that lie apart: made alike as wholes, types would be fused.
TEST(DecideGate, KeepsTypesApartThatGroupsHoldInOtherShares) {
  for (const double shift : {0.0, 6.0}) {
    Mixtures data;
    data.add({400, 150, 80, 80, 80}, 0);
    data.add({80, 80, 150, 240, 240}, shift);
    data.add({160, 160, 240, 240, 0}, -shift);
    data.add({12, 12, 12, 12, 12}, shift / 2);
    const GateDecision found = decide(data.groups());
    EXPECT_EQ(found.gate, Gating::kKinds) << shift;
    EXPECT_THAT(found.kinds.reason, HasSubstr("rows of their kind"));
    ASSERT_EQ(found.kinds.groups.size(), 4U);
    EXPECT_GT(found.kinds.groups[0].parts, 1);
  }
  const GateDecision pure = decide(pure_pure_both(2).groups());
  EXPECT_EQ(pure.gate, Gating::kKinds);
  EXPECT_THAT(pure.kinds.reason, HasSubstr("c holds 2 parts"));
}

// Digits 0 and 1 are of this sort: every row must find a partner.
TEST(DecideGate, MakesSingleCloudsAlike) {
  Mixtures near;
  near.add({500}, 0);
  near.add({500}, 1);
  const GateDecision found = decide(near.groups());
  EXPECT_EQ(found.gate, Gating::kNone);
  EXPECT_THAT(found.kinds.reason, HasSubstr("Whole groups"));

  Mixtures apart;
  apart.add({500}, 0);
  apart.add({500}, 30);
  EXPECT_EQ(decide(apart.groups()).gate, Gating::kNone);
  EXPECT_THAT(decide(apart.groups()).kinds.reason, HasSubstr("cannot tell"));
}

// A batch effect alone needs no gate, which would only see fewer rows at a time.
TEST(DecideGate, MakesGroupsAlikeThatHoldTheSame) {
  Mixtures data;
  data.add({200, 200, 200}, 0);
  data.add({200, 200, 200}, 0.5);
  EXPECT_EQ(decide(data.groups()).gate, Gating::kNone);
  EXPECT_THAT(decide(data.groups()).kinds.reason, HasSubstr("similar shares"));
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

// Flowers of three types at two sites, 75 rows each, as a table has them. Scores close the gap
// between the first type and the others, and sites were made alike as wholes.
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
  EXPECT_EQ(decide(as_scores(sites)).gate, Gating::kKinds);
}

TEST(DecideGate, LeavesAloneWhatWasChosenOrCannotBe) {
  const Mixtures data = pure_pure_both(2);
  const GroupSet groups = data.groups();
  FitOptions options;
  options.gate = Gating::kNone;
  EXPECT_EQ(decide(groups, options).gate, Gating::kNone);
  EXPECT_TRUE(decide(groups, options).kinds.groups.empty());
  options.gate = Gating::kKinds;
  EXPECT_EQ(decide(groups, options).gate, Gating::kKinds);
  EXPECT_EQ(decide(groups, options).kinds.reason, "");
  EXPECT_EQ(decide(groups, options).kinds.groups.size(), 3U);
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

// What a user gets who says nothing at all.
TEST(FitFlow, DoesNotFuseTypesByDefault) {
  const Mixtures data = pure_pure_both(1);
  const Fit fit = fit_flow(data.groups(), {});
  EXPECT_EQ(fit.record.options.gate, Gating::kKinds);
  EXPECT_THAT(fit.record.kinds.reason, HasSubstr("--gate none"));
  EXPECT_LT(mean_labels_around_a_row(fit.flow, data), 1.01);
  FitOptions whole;
  whole.gate = Gating::kNone;
  EXPECT_GT(mean_labels_around_a_row(fit_flow(data.groups(), whole).flow, data), 1.3);
}

}  // namespace composition_test
}  // namespace conflux

#include "conflux/judging/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "conflux/core/error.h"
#include "core/rng.h"
#include "flow/affine_layer.h"

namespace conflux {
namespace evaluation_test {

// Group m lies m * `apart` from group 0 along feature 0.
GroupSet shifted_groups(Index count, Index rows, double apart) {
  GroupSet out;
  for (Index m = 0; m < count; ++m) {
    Matrix part = Stream(static_cast<std::uint64_t>(m), Purpose::kTest).normal_matrix(rows, 2);
    part.col(0).array() += apart * static_cast<double>(m);
    out.add(std::to_string(m), std::move(part));
  }
  out.set_feature_names({"x", "y"});
  return out;
}

// Takes the shifts back.
Flow flow_for(Index count, double apart) {
  std::vector<AffineLayer::Map> maps;
  std::vector<std::string> names;
  for (Index m = 0; m < count; ++m) {
    Vector mean = Vector::Zero(2);
    mean(0) = apart * static_cast<double>(m);
    maps.push_back({mean, Vector::Zero(2), Matrix::Identity(2, 2), Matrix::Identity(2, 2), 0});
    names.push_back(std::to_string(m));
  }
  Flow out(names, 2);
  out.append(std::make_shared<AffineLayer>(maps));
  return out;
}

const MetricResult& result_of(const Evaluation& found, const std::string& name) {
  for (const MetricResult& each : found.metrics) {
    if (each.name == name) return each;
  }
  throw std::runtime_error(name);
}

TEST(Evaluation, MeasuresWhatIsAskedForBesideItsChanceLevel) {
  for (const EvaluationSpace space : {EvaluationSpace::kTranslated, EvaluationSpace::kShared}) {
    const Evaluation found = evaluate(flow_for(2, 4), shifted_groups(2, 200, 4),
                                      {.metrics = {"w2_exact", "round_trip"}, .space = space});
    const MetricResult& distance = result_of(found, "w2_exact");
    EXPECT_NEAR(*distance.before, 16, 3);
    EXPECT_LT(distance.after, 0.6);
    // The remaining distance is that of two samples of one distribution.
    EXPECT_NEAR(distance.after, *distance.by_chance, 0.25);
    EXPECT_EQ(distance.pairs.size(), 2);
    EXPECT_LT(result_of(found, "round_trip").after, 1e-12);
    ASSERT_TRUE(found.judgement);
    EXPECT_EQ(found.judgement->verdict, Verdict::kAligned);
  }
}

TEST(Evaluation, MeasuresTheUsualMetricsUnasked) {
  const Evaluation found = evaluate(flow_for(3, 2), shifted_groups(3, 100, 2));
  std::vector<std::string> names;
  for (const MetricResult& each : found.metrics) names.push_back(each.name);
  EXPECT_THAT(names,
              testing::ElementsAre("transport_cost", "neighbors_kept", "ilisi", "round_trip"));
  // Means of 0, 4 and 16.
  EXPECT_NEAR(result_of(found, "transport_cost").after, 20.0 / 3, 1e-9);
  EXPECT_THAT(found.rows, testing::ElementsAre(100, 100, 100));
}

// 40 groups have 1560 ordered pairs.
// A network may take a tenth of a second for an image: three groups and both their metrics show it
// every original row once, and every translated one.
TEST(Evaluation, ShowsANetworkEveryImageOnceAndHasBothMetricsOfFeatures) {
  Index looked_at = 0;
  const auto first_feature = [&](ConstRows rows, const Workers&) -> Matrix {
    looked_at += rows.rows();
    return rows.eigen().leftCols(1);
  };
  const Evaluation found = evaluate(flow_for(3, 4), shifted_groups(3, 50, 4),
                                    {.metrics = {"frechet"}, .features = first_feature});
  EXPECT_EQ(looked_at, 3 * 50 + 6 * 50);
  for (const char* name : {"frechet", "kernel_distance"}) {
    EXPECT_LT(result_of(found, name).after, 0.1 * *result_of(found, name).before) << name;
  }
  // The squares of 4, 4 and 8, for the one feature that was shown.
  EXPECT_NEAR(*result_of(found, "frechet").before, 32, 3);
}

TEST(Evaluation, DrawsPairsOfManyGroups) {
  const Evaluation found = evaluate(flow_for(40, 1), shifted_groups(40, 12, 1),
                                    {.metrics = {"sliced_w2"}, .max_pairs = 10});
  EXPECT_EQ(result_of(found, "sliced_w2").pairs.size(), 10);
  EXPECT_EQ(found.judgement->prediction_after.per_group.size(), 40);
}

TEST(Evaluation, LooksAtOneGroupAlone) {
  const Evaluation found = evaluate(flow_for(2, 4), shifted_groups(1, 50, 4));
  EXPECT_FALSE(found.judgement);
  EXPECT_EQ(result_of(found, "transport_cost").after, 0);
}

TEST(Evaluation, RefusesStrangersAndUnknownMetrics) {
  EXPECT_THROW(evaluate(flow_for(2, 4), shifted_groups(3, 50, 4)), InvalidData);
  EXPECT_THROW(evaluate(flow_for(2, 4), shifted_groups(2, 50, 4), {.metrics = {"w3"}}),
               InvalidOption);
}

}  // namespace evaluation_test
}  // namespace conflux

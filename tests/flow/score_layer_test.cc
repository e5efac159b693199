#include "flow/score_layer.h"

#include <gtest/gtest.h>

#include "tests/support/layer_laws.h"

namespace conflux {
namespace score_layer_test {

std::vector<PiecewiseLinearMap> scores() {
  return {PiecewiseLinearMap({-2, 0, 5}, {-1, 0, 3}), PiecewiseLinearMap({-9, 1}, {-3, 2}), {}};
}

TEST(ScoreLayer, ObeysTheLawsOfLayersBothWays) {
  for (const auto step : {ScoreLayer::ScoreStep::kToScores, ScoreLayer::ScoreStep::kFromScores}) {
    check_layer_laws(ScoreLayer(scores(), step), 2, Stream(1, Purpose::kTest));
  }
}

TEST(ScoreLayer, LeavesWhatItEnters) {
  const ScoreLayer enter(scores(), ScoreLayer::ScoreStep::kToScores);
  const ScoreLayer leave(scores(), ScoreLayer::ScoreStep::kFromScores);
  const Matrix rows = 5 * Stream(2, Purpose::kTest).normal_matrix(100, 3);
  Matrix moved = rows;
  enter.forward(0, Rows(moved), nullptr);
  EXPECT_GT((moved - rows).norm(), 1);
  leave.forward(1, Rows(moved), nullptr);
  EXPECT_LT((moved - rows).norm(), 1e-12);
}

}  // namespace score_layer_test
}  // namespace conflux

#include "training/layer_judge.h"

#include <gtest/gtest.h>

namespace conflux {
namespace layer_judge_test {

constexpr StagePlan kPlan{.features = 50, .layers = 500};

PredictionRecord predict(Index layer, double auc) {
  return {.layer = layer, .auc = auc, .by_chance = 0.51};
}

// As conditional layers alone fared on 75,000 rows of 50 features, where they ended at 0.723 and
// those after sliced layers at 0.580.
TEST(StaysBehindTest, AStageThatNearsItsRivalTooSlowlyStaysBehind) {
  const std::vector<PredictionRecord> slow{predict(0, 0.9999), predict(10, 0.9999),
                                           predict(20, 0.9995), predict(40, 0.9981),
                                           predict(80, 0.9817)};
  EXPECT_TRUE(stays_behind(slow, predict(500, 0.58), kPlan));
  // The value that it reached in the end was not out of reach.
  EXPECT_FALSE(stays_behind(slow, predict(500, 0.723), kPlan));
}

TEST(StaysBehindTest, AStageIsNotGivenUpBeforeEachFeatureHadItsTurn) {
  const std::vector<PredictionRecord> young{predict(0, 0.9999), predict(10, 0.9999),
                                            predict(20, 0.9995), predict(40, 0.9981)};
  EXPECT_FALSE(stays_behind(young, predict(500, 0.58), kPlan));
  EXPECT_TRUE(stays_behind(young, predict(500, 0.58), {.features = 10, .layers = 500}));
}

TEST(StaysBehindTest, AStageThatIsAsGoodOrFallsFastMayWin) {
  const std::vector<PredictionRecord> fast{predict(0, 0.9), predict(40, 0.8), predict(80, 0.65)};
  EXPECT_FALSE(stays_behind(fast, predict(500, 0.52), kPlan));
  const std::vector<PredictionRecord> level{predict(0, 0.6), predict(40, 0.585),
                                            predict(80, 0.585)};
  EXPECT_FALSE(stays_behind(level, predict(500, 0.58), kPlan));
  EXPECT_TRUE(stays_behind(level, predict(500, 0.55), kPlan));
}

}  // namespace layer_judge_test
}  // namespace conflux

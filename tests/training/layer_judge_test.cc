#include "training/layer_judge.h"

#include <gtest/gtest.h>

namespace conflux {
namespace layer_judge_test {

constexpr StagePlan kPlan{.features = 50, .layers = 500};

GuessRecord guess(Index layer, double auc) {
  return {.layer = layer, .auc = auc, .by_chance = 0.51};
}

// As conditional layers alone fared on 75,000 rows of 50 features, where they ended at 0.723 and
// those after sliced layers at 0.580.
TEST(StaysBehindTest, AStageThatNearsItsRivalTooSlowlyStaysBehind) {
  const std::vector<GuessRecord> slow{guess(0, 0.9999), guess(10, 0.9999), guess(20, 0.9995),
                                      guess(40, 0.9981), guess(80, 0.9817)};
  EXPECT_TRUE(stays_behind(slow, guess(500, 0.58), kPlan));
  // What it reached in the end was not out of reach.
  EXPECT_FALSE(stays_behind(slow, guess(500, 0.723), kPlan));
}

TEST(StaysBehindTest, AStageIsNotGivenUpBeforeEachFeatureHadItsTurn) {
  const std::vector<GuessRecord> young{guess(0, 0.9999), guess(10, 0.9999), guess(20, 0.9995),
                                       guess(40, 0.9981)};
  EXPECT_FALSE(stays_behind(young, guess(500, 0.58), kPlan));
  EXPECT_TRUE(stays_behind(young, guess(500, 0.58), {.features = 10, .layers = 500}));
}

TEST(StaysBehindTest, AStageThatIsAsGoodOrFallsFastMayWin) {
  const std::vector<GuessRecord> fast{guess(0, 0.9), guess(40, 0.8), guess(80, 0.65)};
  EXPECT_FALSE(stays_behind(fast, guess(500, 0.52), kPlan));
  const std::vector<GuessRecord> level{guess(0, 0.6), guess(40, 0.585), guess(80, 0.585)};
  EXPECT_FALSE(stays_behind(level, guess(500, 0.58), kPlan));
  EXPECT_TRUE(stays_behind(level, guess(500, 0.55), kPlan));
}

}  // namespace layer_judge_test
}  // namespace conflux

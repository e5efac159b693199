#include "fitting/scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/rng.h"

namespace conflux {
namespace scores_test {

std::vector<PiecewiseLinearMap> scores_of(const GroupSet& groups) {
  SelfCommunicator comm;
  return score_maps(groups, all_rows(groups), comm);
}

double at(const PiecewiseLinearMap& map, double x) {
  map.forward({&x, 1}, nullptr);
  return x;
}

// Features in units from nanometres to millions: e^z, far from normal.
GroupSet skewed_groups(Index first, Index second) {
  Stream stream(7, Purpose::kTest);
  GroupSet groups;
  for (const Index count : {first, second}) {
    Matrix rows = stream.normal_matrix(count, 3);
    rows.col(0) = 1e-9 * rows.col(0).array().exp();
    rows.col(1) = 1e6 * rows.col(1).array().exp();
    groups.add(std::to_string(groups.num_groups()), std::move(rows));
  }
  return groups;
}

TEST(Scores, OfAllGroupsTogetherAreNormal) {
  const GroupSet groups = skewed_groups(2000, 2000);
  const auto maps = scores_of(groups);
  for (Index j = 0; j < 3; ++j) {
    double sum = 0, squares = 0;
    for (Index m = 0; m < 2; ++m) {
      for (Index i = 0; i < 2000; ++i) {
        const double score = at(maps[j], groups[m].rows(i, j));
        sum += score / 4000;
        squares += score * score / 4000;
      }
    }
    EXPECT_NEAR(sum, 0, 0.02) << j;
    EXPECT_NEAR(squares, 1, 0.05) << j;
  }
}

// A group with many rows must not decide alone what is normal.
TEST(Scores, GroupsCountAlikeHoweverManyRowsTheyHave) {
  GroupSet groups;
  Stream stream(8, Purpose::kTest);
  groups.add("many", Matrix(stream.normal_matrix(4000, 1)));
  groups.add("few", Matrix(stream.normal_matrix(400, 1).array() + 10));
  EXPECT_NEAR(at(scores_of(groups)[0], 5), 0, 0.1);
}

TEST(Scores, IncreaseAndGoOnBeyondWhatWasSeen) {
  const auto maps = scores_of(skewed_groups(300, 200));
  for (const PiecewiseLinearMap& map : maps) {
    const double width = map.from().back() - map.from().front();
    double last = at(map, map.from().front() - width);
    for (int step = -9; step < 30; ++step) {
      const double score = at(map, map.from().front() + 0.1 * step * width);
      EXPECT_GT(score, last);
      last = score;
    }
  }
}

TEST(Scores, LeaveAConstantFeatureAlone) {
  GroupSet groups;
  groups.add("a", Matrix(Matrix::Constant(20, 1, 3.5)));
  groups.add("b", Matrix(Matrix::Constant(30, 1, 3.5)));
  EXPECT_EQ(at(scores_of(groups)[0], 3.5), 3.5);
  EXPECT_EQ(at(scores_of(groups)[0], -8), -8);
}

}  // namespace scores_test
}  // namespace conflux

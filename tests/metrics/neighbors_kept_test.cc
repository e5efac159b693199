#include <gtest/gtest.h>

#include "conflux/core/error.h"
#include "conflux/metrics/moves.h"
#include "core/rng.h"

namespace conflux {
namespace neighbors_kept_test {

Matrix normal(Index rows, std::uint64_t seed) {
  return Stream(seed, Purpose::kTest).normal_matrix(rows, 3);
}

TEST(NeighborsKept, AllByMotionsAndNoneInParticularByChance) {
  const Matrix rows = normal(400, 1);
  const Workers workers;
  const Matrix moved = (-2.5 * rows).rowwise() + Eigen::RowVector3d(1, 2, 3);
  EXPECT_EQ(neighbors_kept(rows, moved, workers), 1);
  EXPECT_NEAR(neighbors_kept(rows, normal(400, 2), workers), 15.0 / 399, 0.01);
}

// Two pairs on a line change partners: 0 1 | 10 11 becomes 0 10 | 1 11.
TEST(NeighborsKept, CountsByHand) {
  Matrix before(4, 1), after(4, 1);
  before << 0, 1, 10, 11;
  after << 0, 10, 1, 11;
  EXPECT_EQ(neighbors_kept(before, after, Workers(), 1), 0);
  after << 0, 1, 10, 9;
  EXPECT_EQ(neighbors_kept(before, after, Workers(), 1), 1);
  after << 0, 10, 11, 12;
  // Rows 0 and 1 lose each other; rows 2 and 3: 11 is as near to 10 as to 12, ties by position.
  EXPECT_EQ(neighbors_kept(before, after, Workers(), 1), 0.5);
}

TEST(NeighborsKept, OfFewRows) {
  EXPECT_EQ(neighbors_kept(normal(1, 1), normal(1, 2), Workers()), 1);
  EXPECT_LE(neighbors_kept(normal(5, 1), normal(5, 2), Workers()), 1);
  EXPECT_THROW(neighbors_kept(normal(5, 1), normal(4, 1), Workers()), InvalidData);
  EXPECT_THROW(neighbors_kept(normal(5, 1), normal(5, 1), Workers(), 0), InvalidOption);
}

}  // namespace neighbors_kept_test
}  // namespace conflux

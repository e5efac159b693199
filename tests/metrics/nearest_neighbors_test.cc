#include "metrics/nearest_neighbors.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "tests/metrics/clouds.h"

namespace conflux {
namespace nearest_neighbors_test {

// Sorts all other rows by distance, then by position.
Neighbors slow_neighbors(const Matrix& rows, Index count) {
  Neighbors out{MatrixOf<Index>(rows.rows(), count), Matrix(rows.rows(), count)};
  for (Index i = 0; i < rows.rows(); ++i) {
    std::vector<std::pair<double, Index>> others;
    for (Index j = 0; j < rows.rows(); ++j) {
      if (j != i) others.emplace_back((rows.row(i) - rows.row(j)).norm(), j);
    }
    std::sort(others.begin(), others.end());
    for (Index k = 0; k < count; ++k) {
      out.rows(i, k) = others[static_cast<std::size_t>(k)].second;
      out.distances(i, k) = others[static_cast<std::size_t>(k)].first;
    }
  }
  return out;
}

TEST(NearestNeighbors, AreThoseOfAFullSort) {
  for (const Index rows : {2, 63, 64, 65, 700}) {
    for (const Index dim : {1, 3, 40}) {
      const Matrix cloud = normal_cloud(rows, dim, 1);
      const Index count = std::min<Index>(rows - 1, 20);
      const Neighbors expected = slow_neighbors(cloud, count);
      const Neighbors found = nearest_neighbors(cloud, count, Workers(2));
      EXPECT_EQ(found.rows, expected.rows) << rows << " x " << dim;
      EXPECT_LT((found.distances - expected.distances).cwiseAbs().maxCoeff(), 1e-14);
    }
  }
}

// Far from the origin products keep few digits of a distance.
TEST(NearestNeighbors, AreFoundFarFromTheOrigin) {
  const Matrix near = normal_cloud(300, 5, 2);
  const Matrix far = near.array() + 1e7;
  EXPECT_EQ(nearest_neighbors(far, 10, Workers(1)).rows, slow_neighbors(far, 10).rows);
}

TEST(NearestNeighbors, DistancesAreRightWhereRowsCoincide) {
  const Matrix cloud = cloud_with_ties(200, 3, 3);
  const Neighbors expected = slow_neighbors(cloud, 30);
  const Neighbors found = nearest_neighbors(cloud, 30, Workers(1));
  EXPECT_LT((found.distances - expected.distances).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(NearestNeighbors, AsManyAsRowsAreRefused) {
  const Matrix cloud = normal_cloud(10, 2, 4);
  EXPECT_THROW(nearest_neighbors(cloud, 10, Workers(1)), InvalidOption);
  EXPECT_THROW(nearest_neighbors(cloud, 0, Workers(1)), InvalidOption);
  EXPECT_NO_THROW(nearest_neighbors(cloud, 9, Workers(1)));
}

}  // namespace nearest_neighbors_test
}  // namespace conflux

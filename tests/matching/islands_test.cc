#include "matching/islands.h"

#include <gtest/gtest.h>

#include <set>

namespace conflux {
namespace islands_test {

std::size_t count_islands(const Matrix& points, Index clusters) {
  SelfCommunicator self;
  const Clusters found = k_means(points, Vector::Ones(points.rows()), clusters, 4,
                                 Stream(1, Purpose::kMatching), self);
  const std::vector<Index> island =
      find_islands(points, nearest_centres(points, found.centres), found, self);
  return std::set<Index>(island.begin(), island.end()).size();
}

// k-means cuts a cloud into pieces whose centres lie several deviations apart in many dimensions.
TEST(Islands, OneCloudIsOneIslandInAnyDimension) {
  for (const Index dim : {1, 2, 10, 20}) {
    Stream stream(7, Purpose::kTest, static_cast<std::uint64_t>(dim));
    const Matrix points = stream.normal_matrix(1500, dim);
    for (const Index clusters : {2, 6, 15}) {
      EXPECT_EQ(count_islands(points, clusters), 1U) << dim << " features, " << clusters;
    }
  }
}

TEST(Islands, CloudsTenDeviationsApartAreIslands) {
  Stream stream(8, Purpose::kTest);
  Matrix points = stream.normal_matrix(1200, 12);
  for (Index i = 0; i < points.rows(); ++i) points(i, i % 3) += 10;
  EXPECT_EQ(count_islands(points, 3), 3U);
  EXPECT_EQ(count_islands(points, 15), 3U);
}

TEST(Islands, AFewRowsProveNoGap) {
  Stream stream(9, Purpose::kTest);
  Matrix points = stream.normal_matrix(4, 2);
  points(3, 0) += 100;
  EXPECT_EQ(count_islands(points, 2), 1U);
}

}  // namespace islands_test
}  // namespace conflux

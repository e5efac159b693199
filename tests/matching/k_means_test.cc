#include "matching/k_means.h"

#include <gtest/gtest.h>

#include "tests/support/thread_communicator.h"

namespace conflux {
namespace k_means_test {

// `each` points around 0, 10, 20 ... on the first axis.
Matrix clouds(Index count, Index each, std::uint64_t number) {
  Stream stream(number, Purpose::kTest);
  Matrix out = stream.normal_matrix(count * each, 4);
  for (Index i = 0; i < out.rows(); ++i) out(i, 0) += 10 * static_cast<double>(i % count);
  return out;
}

Stream stream_of(std::uint64_t number) { return Stream(number, Purpose::kMatching); }

TEST(KMeans, FindsCloudsThatLieApart) {
  const Matrix points = clouds(5, 100, 1);
  SelfCommunicator self;
  const Clusters found = k_means(points, Vector::Ones(500), 5, 4, stream_of(1), self);
  ASSERT_EQ(found.centers.rows(), 5);
  EXPECT_TRUE((found.masses.array() == 100).all());
  EXPECT_NEAR(found.spread, 4, 0.5);  // four axes of variance 1
}

TEST(KMeans, CountsAPointByItsMass) {
  const Matrix points = clouds(2, 50, 2);
  Vector masses = Vector::Ones(100);
  masses(0) = 0;
  masses(2) = 5;
  SelfCommunicator self;
  const Clusters found = k_means(points, masses, 2, 4, stream_of(1), self);
  EXPECT_DOUBLE_EQ(found.masses.sum(), 103);
  const Index first = nearest_centers(points.topRows(1), found.centers).front();
  EXPECT_DOUBLE_EQ(found.masses(first), 53);
}

TEST(KMeans, HasNoMoreClustersThanPoints) {
  SelfCommunicator self;
  EXPECT_EQ(k_means(clouds(1, 3, 3), Vector::Ones(3), 9, 4, stream_of(1), self).centers.rows(), 3);
  EXPECT_EQ(k_means(Matrix(0, 4), Vector(0), 9, 4, stream_of(1), self).centers.rows(), 0);
  const Matrix same = Matrix::Ones(20, 4);
  EXPECT_EQ(k_means(same, Vector::Ones(20), 5, 4, stream_of(1), self).centers.rows(), 1);
}

// A process may hold one cloud only, or nothing.
TEST(KMeans, AgreesOnAllProcesses) {
  const Matrix points = clouds(4, 60, 4);
  std::vector<Clusters> found(3);
  run_ranks(3, [&](Communicator& comm) {
    const Index begin = comm.rank() == 0 ? 0 : 100;
    const Index count = comm.rank() == 0 ? 100 : (comm.rank() == 1 ? 140 : 0);
    found[comm.rank()] = k_means(points.middleRows(begin, count), Vector::Ones(count), 4, 4,
                                 stream_of(comm.rank()), comm);
  });
  for (const Clusters& each : found) {
    EXPECT_EQ(each.centers, found.front().centers);
    EXPECT_TRUE((each.masses.array() == 60).all());
  }
}

}  // namespace k_means_test
}  // namespace conflux

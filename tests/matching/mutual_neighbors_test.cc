#include "matching/mutual_neighbors.h"

#include <gtest/gtest.h>

#include <cmath>

namespace conflux {
namespace mutual_neighbors_test {

constexpr Index kPoints = 100;

// Points along an arc of so many radians, and one far away from it.
Clusters arc(double turn, double far) {
  Clusters out{.centers = Matrix(kPoints + 1, 2),
               .masses = Vector::Constant(kPoints + 1, 1.0 / (kPoints + 1))};
  for (Index i = 0; i < kPoints; ++i) {
    const double angle = 3.0 * static_cast<double>(i) / kPoints;
    // Farther from where it was at one end than at the other, so that no shift undoes it.
    const double radius = 10 + turn * (1 + angle);
    out.centers.row(i) << radius * std::cos(angle), radius * std::sin(angle);
  }
  out.centers.row(kPoints) << far, far;
  return out;
}

// How far the arcs are from each other; where along them points are does not count.
double between(const Matrix& a, const Matrix& b) {
  const Vector difference = a.rowwise().norm() - b.rowwise().norm();
  return difference.head(kPoints).cwiseAbs().mean();
}

TEST(MutualNeighbors, MeetWhereNoShiftWouldBringThemTogether) {
  const std::vector<Clusters> groups = {arc(0, 100), arc(0.1, -100)};
  const std::vector<Matrix> moves = meet_neighbors(groups, Workers(1));
  const Matrix a = groups[0].centers + moves[0];
  const Matrix b = groups[1].centers + moves[1];
  EXPECT_LT(between(a, b), 0.1 * between(groups[0].centers, groups[1].centers));
  // A point without near points of another group stays in place.
  EXPECT_EQ(moves[0].row(kPoints).norm(), 0);
  EXPECT_EQ(moves[1].row(kPoints).norm(), 0);
}

TEST(MutualNeighbors, DoNotMeetBeyondTheReachOfTheirOwnGroupsOrAcrossLabels) {
  const std::vector<Clusters> apart = {arc(0, 100), arc(4, -100)};
  for (const Matrix& each : meet_neighbors(apart, Workers(1))) EXPECT_EQ(each.norm(), 0);
  std::vector<Clusters> labeled = {arc(0, 100), arc(0.1, -100)};
  labeled[0].labels.assign(kPoints + 1, 0);
  labeled[1].labels.assign(kPoints + 1, 1);
  for (const Matrix& each : meet_neighbors(labeled, Workers(1))) EXPECT_EQ(each.norm(), 0);
  labeled[1].labels.assign(kPoints + 1, -1);
  EXPECT_GT(meet_neighbors(labeled, Workers(1))[0].norm(), 0);
}

TEST(MutualNeighbors, HaveTheSameBitsOnAnyNumberOfThreads) {
  const std::vector<Clusters> groups = {arc(0, 100), arc(0.1, -100), arc(0.2, 50)};
  const std::vector<Matrix> one = meet_neighbors(groups, Workers(1));
  EXPECT_EQ(one, meet_neighbors(groups, Workers(2)));
  EXPECT_EQ(one, meet_neighbors(groups, Workers(3)));
}

TEST(MutualNeighbors, OfFewRowsOrVeryManyGroupsAreNotLookedFor) {
  EXPECT_EQ(fine_clusters_of(9, 2), 0);
  EXPECT_EQ(fine_clusters_of(1000, 2), 100);
  EXPECT_EQ(fine_clusters_of(5000, 2), 150);
  EXPECT_EQ(fine_clusters_of(5000, 1000), 0);
  const Clusters none{.centers = Matrix(0, 2), .masses = Vector(0)};
  const std::vector<Matrix> moves = meet_neighbors({arc(0, 100), none}, Workers(1));
  EXPECT_EQ(moves[0].norm(), 0);
  EXPECT_EQ(moves[1].rows(), 0);
}

}  // namespace mutual_neighbors_test
}  // namespace conflux

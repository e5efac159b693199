#include "matching/mutual_neighbors.h"

#include <algorithm>
#include <limits>

namespace conflux {

namespace {

// Means of so many rows are much less noisy than rows, and still many.
constexpr Index kRowsPerFine = 10;
constexpr Index kFewestFine = 30;
constexpr Index kMostFine = 150;
// Clusters of all groups, whose distances are looked at in every round.
constexpr Index kMostFineInAll = 4000;
// Neighbors are the nearest one in so many.
constexpr Index kNearestPart = 20;
constexpr int kMeetings = 10;
constexpr double kHalfWay = 0.5;
// Squared distances of neighbors, in those within their own groups.
constexpr double kFarthest = 2;
// Range in which clusters move together: weight exp(-kAlike * squared distance), in the same unit.
constexpr double kAlike = 2;

struct Meeting {
  Index one = 0;
  Index other = 0;
  double mass = 0;
};

/// The clusters of a group and what does not change when they move.
struct FineGroup {
  Matrix at;
  Vector masses;
  std::vector<Index> labels;  // -1 where unknown; empty without labels
  std::vector<double> reach;  // squared distance to the last of the nearest clusters of the group
  Matrix alike;               // how much of its moves each cluster lends to the others
};

Matrix distances_between(const Matrix& a, const Matrix& b) {
  Matrix out = -2 * a * b.transpose();
  out.colwise() += a.rowwise().squaredNorm();
  out.rowwise() += b.rowwise().squaredNorm().transpose();
  return out.cwiseMax(0.0);
}

Index neighbors_in(Index clusters) { return (clusters + kNearestPart - 1) / kNearestPart; }

// The value that so many of these do not exceed.
double smallest(std::vector<double> values, Index count) {
  const auto last = values.begin() + (count - 1);
  std::nth_element(values.begin(), last, values.end());
  return *last;
}

FineGroup start_of(const Clusters& clusters) {
  const Index count = clusters.centers.rows();
  FineGroup out{.at = clusters.centers,
                .masses = clusters.masses,
                .labels = clusters.labels,
                .reach = {},
                .alike = {}};
  if (count == 0) return out;
  const Matrix apart = distances_between(clusters.centers, clusters.centers);
  for (Index i = 0; i < count; ++i) {
    // Each cluster is the nearest to itself.
    out.reach.push_back(smallest({apart.row(i).begin(), apart.row(i).end()},
                                 std::min(count, 1 + neighbors_in(count))));
  }
  const double width = std::max(smallest(out.reach, (count + 1) / 2), 1e-300);
  out.alike = (-kAlike / width * apart).array().exp();
  return out;
}

bool labels_differ(const FineGroup& a, Index i, const FineGroup& b, Index j) {
  if (a.labels.empty() || b.labels.empty()) return false;
  return a.labels[i] >= 0 && b.labels[j] >= 0 && a.labels[i] != b.labels[j];
}

std::vector<Meeting> meetings_of(const FineGroup& a, const FineGroup& b) {
  std::vector<Meeting> out;
  if (a.at.rows() == 0 || b.at.rows() == 0) return out;
  const Matrix apart = distances_between(a.at, b.at);
  std::vector<double> nearest_to_b;
  for (Index j = 0; j < apart.cols(); ++j) {
    nearest_to_b.push_back(
        smallest({apart.col(j).begin(), apart.col(j).end()}, neighbors_in(apart.rows())));
  }
  for (Index i = 0; i < apart.rows(); ++i) {
    const double nearest_to_a =
        smallest({apart.row(i).begin(), apart.row(i).end()}, neighbors_in(apart.cols()));
    for (Index j = 0; j < apart.cols(); ++j) {
      const double most =
          std::min({nearest_to_a, nearest_to_b[j], kFarthest * std::min(a.reach[i], b.reach[j])});
      if (apart(i, j) > most || labels_differ(a, i, b, j)) continue;
      out.push_back({.one = i, .other = j, .mass = a.masses(i) * b.masses(j)});
    }
  }
  return out;
}

/// Where the partners of a group's clusters are.
struct Partners {
  Matrix sums;  // by mass
  Vector mass;
};

void move_towards(FineGroup& group, const Partners& partners) {
  const Matrix ways = partners.sums - partners.mass.asDiagonal() * group.at;
  const Vector weights = group.alike * partners.mass;
  const Matrix together = group.alike * ways;
  for (Index i = 0; i < group.at.rows(); ++i) {
    if (weights(i) > std::numeric_limits<double>::min()) {
      group.at.row(i) += kHalfWay / weights(i) * together.row(i);
    }
  }
}

}  // namespace

Index fine_clusters_of(double rows, Index num_groups) {
  const Index most = std::min(kMostFine, kMostFineInAll / num_groups);
  if (most < kFewestFine) return 0;
  return std::min(most, static_cast<Index>(rows) / kRowsPerFine);
}

Matrix FineCopy::moved(Index m, Matrix points) const {
  if (moves.empty() || moves[m].rows() == 0) return points;
  const std::vector<Index> cluster_of = nearest_centers(points, clusters[m].centers);
  for (Index i = 0; i < points.rows(); ++i) points.row(i) += moves[m].row(cluster_of[i]);
  return points;
}

std::vector<Matrix> meet_neighbors(const std::vector<Clusters>& clusters, const Workers& workers) {
  const auto count = static_cast<Index>(clusters.size());
  std::vector<FineGroup> groups(clusters.size());
  workers.for_each(count, [&](Index m) { groups[m] = start_of(clusters[m]); });
  std::vector<std::pair<Index, Index>> pairs;
  for (Index a = 0; a < count; ++a) {
    for (Index b = a + 1; b < count; ++b) pairs.emplace_back(a, b);
  }
  std::vector<std::vector<Meeting>> met(pairs.size());
  for (int round = 0; round < kMeetings; ++round) {
    workers.for_each(static_cast<Index>(pairs.size()), [&](Index p) {
      met[p] = meetings_of(groups[pairs[p].first], groups[pairs[p].second]);
    });
    std::vector<Partners> partners;
    partners.reserve(groups.size());
    for (const FineGroup& each : groups) {
      partners.push_back(
          {Matrix::Zero(each.at.rows(), each.at.cols()), Vector::Zero(each.at.rows())});
    }
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const auto [a, b] = pairs[p];
      for (const auto& [one, other, mass] : met[p]) {
        partners[a].sums.row(one) += mass * groups[b].at.row(other);
        partners[a].mass(one) += mass;
        partners[b].sums.row(other) += mass * groups[a].at.row(one);
        partners[b].mass(other) += mass;
      }
    }
    workers.for_each(count, [&](Index m) { move_towards(groups[m], partners[m]); });
  }
  std::vector<Matrix> out;
  out.reserve(groups.size());
  for (Index m = 0; m < count; ++m) out.push_back(groups[m].at - clusters[m].centers);
  return out;
}

}  // namespace conflux

#include "judging/clusters_around.h"

#include <algorithm>

#include "metrics/nearest_neighbors.h"

namespace conflux {

namespace {

// A table of more clusters could not be read.
constexpr Index kMostClusters = 30;

Matrix shares_around(const Matrix& rows, const std::vector<Index>& cluster_of, Index clusters,
                     const Workers& workers) {
  const Neighbors near = nearest_neighbors(rows, kNearestAsked, workers);
  Matrix out = Matrix::Zero(clusters, clusters);
  for (Index i = 0; i < rows.rows(); ++i) {
    if (cluster_of[i] < 0) continue;
    for (Index k = 0; k < kNearestAsked; ++k) {
      const Index other = cluster_of[near.rows(i, k)];
      if (other >= 0) out(cluster_of[i], other) += 1;
    }
  }
  for (Index a = 0; a < clusters; ++a) out.row(a) /= std::max(1.0, out.row(a).sum());
  return out;
}

// Renumbers the clusters that are reported; the others become unknown.
void keep_largest(std::vector<Index>& cluster_of, Index clusters, ClustersAround& out) {
  std::vector<Index> rows(static_cast<std::size_t>(clusters), 0);
  for (const Index cluster : cluster_of) {
    if (cluster >= 0) ++rows[cluster];
  }
  for (Index c = 0; c < clusters; ++c) {
    if (rows[c] > 0) out.clusters.push_back(c);
  }
  std::stable_sort(out.clusters.begin(), out.clusters.end(),
                   [&](Index a, Index b) { return rows[a] > rows[b]; });
  if (static_cast<Index>(out.clusters.size()) > kMostClusters) {
    out.clusters.resize(static_cast<std::size_t>(kMostClusters));
  }
  std::sort(out.clusters.begin(), out.clusters.end());
  std::vector<Index> place(rows.size(), -1);
  for (const Index cluster : out.clusters) {
    place[cluster] = static_cast<Index>(out.rows.size());
    out.rows.push_back(rows[cluster]);
  }
  for (Index& cluster : cluster_of) cluster = cluster < 0 ? -1 : place[cluster];
}

}  // namespace

ClustersAround look_around(const Matrix& before, const Matrix& after, std::vector<Index> cluster_of,
                           Index clusters, const Workers& workers) {
  ClustersAround out;
  if (before.rows() <= 2 * kNearestAsked) return out;
  keep_largest(cluster_of, clusters, out);
  const auto kept = static_cast<Index>(out.clusters.size());
  if (kept < 2) return {};
  out.before = shares_around(before, cluster_of, kept, workers);
  out.after = shares_around(after, cluster_of, kept, workers);
  return out;
}

}  // namespace conflux

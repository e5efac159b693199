#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "conflux/metrics/group_prediction.h"

namespace conflux {

namespace {

// With fewer rows of a cluster, a group is predicted by chance there.
constexpr Index kFewestOfAGroup = 10;

// The rows of one cluster, of groups that have enough of them, numbered anew.
struct RowsOfCluster {
  Matrix rows = {};
  std::vector<Index> group_of = {};
  /// The position of each row, and the number of each group, among all.
  std::vector<Index> row_of = {};
  std::vector<Index> groups = {};
};

std::optional<RowsOfCluster> rows_of_cluster(const SampleRows& rows,
                                             std::span<const Index> group_of,
                                             const std::vector<Index>& chosen) {
  std::map<Index, Index> counts, numbers;
  for (const Index i : chosen) ++counts[group_of[i]];
  for (const auto& [group, count] : counts) {
    if (count >= kFewestOfAGroup) numbers.emplace(group, std::ssize(numbers));
  }
  if (numbers.size() < 2) return std::nullopt;
  RowsOfCluster out{.rows = Matrix(static_cast<Index>(chosen.size()), rows.cols())};
  for (const Index i : chosen) {
    const auto found = numbers.find(group_of[i]);
    if (found == numbers.end()) continue;
    rows.copy_row(i, out.rows.row(static_cast<Index>(out.group_of.size())).data());
    out.group_of.push_back(found->second);
    out.row_of.push_back(i);
  }
  for (const auto& [group, number] : numbers) out.groups.push_back(group);
  out.rows.conservativeResize(static_cast<Index>(out.group_of.size()), Eigen::NoChange);
  return out;
}

// By the groups and rows of all clusters.
GroupPrediction renumbered(const GroupPrediction& prediction, const RowsOfCluster& own,
                           Index rows) {
  GroupPrediction out = prediction;
  out.influences.assign(static_cast<std::size_t>(rows), 0.0);
  for (std::size_t i = 0; i < own.row_of.size(); ++i) {
    out.influences[own.row_of[i]] = prediction.influences[i];
  }
  out.per_group.assign(static_cast<std::size_t>(own.groups.back()) + 1,
                       std::numeric_limits<double>::quiet_NaN());
  for (std::size_t m = 0; m < own.groups.size(); ++m) {
    out.per_group[own.groups[m]] = prediction.per_group[m];
  }
  return out;
}

}  // namespace

std::optional<GroupPrediction> predict_within_clusters(const SampleRows& rows,
                                                       std::span<const Index> group_of,
                                                       std::span<const Index> cluster_of,
                                                       const PredictionOptions& options,
                                                       const Workers& workers) {
  std::map<Index, std::vector<Index>> by_cluster;
  for (std::size_t i = 0; i < cluster_of.size(); ++i) {
    if (cluster_of[i] >= 0) by_cluster[cluster_of[i]].push_back(static_cast<Index>(i));
  }
  std::vector<GroupPrediction> predictions;
  for (const auto& [cluster, chosen] : by_cluster) {
    const std::optional<RowsOfCluster> own = rows_of_cluster(rows, group_of, chosen);
    if (!own) continue;
    GroupPrediction prediction =
        predict_groups(SampleRows(own->rows), own->group_of, options, workers);
    predictions.push_back(renumbered(prediction, *own, rows.rows()));
  }
  if (predictions.empty()) return std::nullopt;
  GroupPrediction out = mean_prediction(predictions);
  // One entry per row: those of the clusters do not overlap.
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows.rows()); ++i) {
    for (std::size_t k = 1; k < predictions.size(); ++k) {
      out.influences[i] += out.influences[i + k * static_cast<std::size_t>(rows.rows())];
    }
  }
  out.influences.resize(static_cast<std::size_t>(rows.rows()));
  return out;
}

}  // namespace conflux

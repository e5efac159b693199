// Which clusters are near to the rows of each cluster, and distances between groups.

#include <fmt/format.h>

#include <algorithm>

#include "conflux/comm/communicator.h"
#include "judging/clusters_around.h"
#include "matching/matching.h"
#include "report/facts.h"

namespace conflux {

namespace {

constexpr Index kRowsForNeighbors = 3'000;
// A cluster with fewer rows is left to chance.
constexpr Index kFewestOfACluster = 20;
constexpr double kFusedBy = 0.10;
constexpr Index kGroupsForPairs = 24;
constexpr Index kRowsForPairs = 2'400;

std::vector<Index> clusters_found(const ComparableRows& rows, const GroupSet& groups, Index& count,
                                  std::uint64_t seed, const Workers& workers) {
  GroupSet set;
  Index at = 0;
  JudgedRows standard{.rows = rows.before, .group_of = rows.group_of, .sizes = rows.sizes};
  standardize_within_groups(standard);
  for (std::size_t m = 0; m < rows.sizes.size(); ++m) {
    set.add(groups[static_cast<Index>(m)].name,
            Matrix(standard.rows.middleRows(at, rows.sizes[m])));
    at += rows.sizes[m];
  }
  SelfCommunicator comm;
  const Matching matching = match_groups(set, {.seed = seed}, comm, workers);
  count = matching.num_clusters();
  std::vector<Index> out;
  for (const auto& clusters : matching.clusters)
    out.insert(out.end(), clusters.begin(), clusters.end());
  return out;
}

void find_fused(Neighborhoods& out) {
  for (Index a = 0; a < out.after.rows(); ++a) {
    if (out.rows[a] < kFewestOfACluster) continue;
    for (Index b = 0; b < out.after.cols(); ++b) {
      if (a == b || out.rows[b] < kFewestOfACluster) continue;
      if (out.after(a, b) > out.before(a, b) + kFusedBy) out.fused.push_back({a, b});
    }
  }
  std::stable_sort(out.fused.begin(), out.fused.end(), [&](const auto& x, const auto& y) {
    return out.after(x.cluster, x.with) - out.before(x.cluster, x.with) >
           out.after(y.cluster, y.with) - out.before(y.cluster, y.with);
  });
}

// As a judgement, or the record of a fit, tells them.
Neighborhoods of_labels(const std::vector<LabelNeighborhood>& found) {
  const auto count = static_cast<Index>(found.size());
  Neighborhoods out{.before = Matrix(count, count), .after = Matrix(count, count)};
  for (Index a = 0; a < count; ++a) {
    const LabelNeighborhood& each = found[static_cast<std::size_t>(a)];
    out.clusters.push_back(each.label);
    out.rows.push_back(each.rows);
    for (Index b = 0; b < count; ++b) {
      out.before(a, b) = each.before[static_cast<std::size_t>(b)];
      out.after(a, b) = each.after[static_cast<std::size_t>(b)];
    }
  }
  find_fused(out);
  return out;
}

std::optional<Neighborhoods> of_clusters(const Model& model, const GroupSet& groups,
                                         const ReportRows& rows, std::uint64_t seed,
                                         const Workers& workers) {
  const ComparableRows some = comparable_rows(rows, choose_rows(rows, kRowsForNeighbors, seed));
  if (some.before.rows() <= 2 * kNearestAsked || groups.num_groups() < 2) return std::nullopt;
  Index count = 0;
  const std::vector<Index> cluster_of = clusters_found(some, groups, count, seed, workers);
  ClustersAround found = look_around(some.before, some.after, cluster_of, count, workers);
  if (found.clusters.empty()) return std::nullopt;
  Neighborhoods out{.labels = false,
                    .rows = std::move(found.rows),
                    .before = std::move(found.before),
                    .after = std::move(found.after)};
  for (const Index cluster : found.clusters)
    out.clusters.push_back(fmt::format("cluster {}", cluster + 1));
  // Clusters of a cloud without gaps are arbitrary; only a gate has taken them seriously.
  if (model.record.options.gate == Gating::kClusters) find_fused(out);
  return out;
}

}  // namespace

std::optional<Neighborhoods> find_neighborhoods(const Report& report, const Model& model,
                                                const GroupSet& groups, const ReportRows& rows,
                                                const Workers& workers) {
  std::optional<Neighborhoods> out;
  if (groups.label_names().size() > 1) {
    const std::optional<Judgement>& judgement = report.evaluation.judgement;
    if (judgement && !judgement->neighborhoods.empty()) out = of_labels(judgement->neighborhoods);
  } else if (!model.record.neighborhoods.empty()) {
    out = of_labels(model.record.neighborhoods);
    out->of_fit = true;
  } else {
    out = of_clusters(model, groups, rows, report.seed, workers);
  }
  if (out) out->nearest = kNearestAsked;
  return out;
}

namespace {

// Mean distances between the rows of every two groups; entry (a, a) leaves out a row with itself.
Matrix mean_distances(const Matrix& rows, const std::vector<Index>& sizes,
                      const std::vector<Index>& begins, const Workers& workers) {
  const auto groups = static_cast<Index>(sizes.size());
  Matrix out = Matrix::Zero(groups, groups);
  workers.for_each(groups * groups, [&](Index pair) {
    const Index a = pair / groups, b = pair % groups;
    if (a < b) return;
    double sum = 0;
    for (Index i = begins[a]; i < begins[a] + sizes[a]; ++i) {
      for (Index j = begins[b]; j < begins[b] + sizes[b]; ++j) {
        sum += (rows.row(i) - rows.row(j)).norm();
      }
    }
    const Index pairs = a == b ? sizes[a] * (sizes[a] - 1) : sizes[a] * sizes[b];
    out(a, b) = sum / static_cast<double>(std::max<Index>(1, pairs));
  });
  return out;
}

// Energy distances of two groups, in mean distances within groups.
Matrix energies(const Matrix& means) {
  Matrix out = Matrix::Zero(means.rows(), means.cols());
  const double within = means.diagonal().mean();
  for (Index a = 0; a < means.rows(); ++a) {
    for (Index b = 0; b < a; ++b) {
      out(a, b) = (2 * means(a, b) - means(a, a) - means(b, b)) / (within > 0 ? within : 1);
      out(b, a) = out(a, b);
    }
  }
  return out;
}

}  // namespace

void find_pairs(Report& report, const ReportRows& rows, const Workers& workers) {
  if (rows.groups() < 3 || rows.groups() > kGroupsForPairs) return;
  const ComparableRows some = comparable_rows(rows, choose_rows(rows, kRowsForPairs, report.seed));
  std::vector<Index> begins;
  Index at = 0;
  for (const Index size : some.sizes) {
    begins.push_back(at);
    at += size;
  }
  report.pairs_before = energies(mean_distances(some.before, some.sizes, begins, workers));
  report.pairs_after = energies(mean_distances(some.after, some.sizes, begins, workers));
}

}  // namespace conflux

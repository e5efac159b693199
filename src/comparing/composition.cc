#include "comparing/composition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conflux/comm/communicator.h"
#include "metrics/judged_rows.h"
#include "metrics/nearest_neighbors.h"
#include "metrics/thinning.h"
#include "options/option_table.h"

namespace conflux {

namespace {

constexpr double kChance = 0.95;
// Clusters are found on this many rows of each group at most, and of all groups.
constexpr Index kRowsForClusters = 1'000;
constexpr Index kAllRowsForClusters = 20'000;
// Rows of all groups together in computations on pairs of rows.
constexpr Index kRowsForMixing = 3'000;
constexpr Index kPermutations = 99;
constexpr Index kFewestRowsOfGroup = 3;
// A smaller difference in composition does little harm; a fraction of a group's rows.
constexpr double kUnlikeComposition = 0.1;

constexpr const char* kFarClouds =
    "Whole groups are aligned: they do not overlap and have no separate clusters, so the rows "
    "cannot "
    "tell a shift from a difference in composition. If they hold different classes, give labels, "
    "or "
    "leave the rows as they are.";
constexpr const char* kSameClusters =
    "Whole groups are aligned: they hold the same clusters in similar proportions. If clusters "
    "must "
    "not be mixed at all, give labels, or choose --gate clusters.";

Matrix shares_by_cluster(const std::vector<Index>& cluster_of, const std::vector<Index>& group_of,
                         Index clusters, Index groups) {
  Matrix out = Matrix::Zero(groups, clusters);
  for (std::size_t i = 0; i < cluster_of.size(); ++i) {
    if (cluster_of[i] >= 0) out(group_of[i], cluster_of[i]) += 1;
  }
  for (Index m = 0; m < groups; ++m) out.row(m) /= std::max(1.0, out.row(m).sum());
  return out;
}

double largest_total_variation(const Matrix& shares) {
  double out = 0;
  for (Index a = 0; a < shares.rows(); ++a) {
    for (Index b = 0; b < a; ++b) {
      // Groups without labels have no shares.
      if (shares.row(a).sum() == 0 || shares.row(b).sum() == 0) continue;
      out = std::max(out, 0.5 * (shares.row(a) - shares.row(b)).cwiseAbs().sum());
    }
  }
  return out;
}

Difference compared(double value, std::vector<double> permuted) {
  std::sort(permuted.begin(), permuted.end());
  const auto at =
      static_cast<std::size_t>(std::ceil(kChance * static_cast<double>(permuted.size()))) -
      (permuted.empty() ? 0 : 1);
  const auto beyond = permuted.end() - std::lower_bound(permuted.begin(), permuted.end(), value);
  return {.value = value,
          .by_chance = permuted.empty() ? 0 : permuted[at],
          .p_value = static_cast<double>(beyond + 1) / static_cast<double>(permuted.size() + 1)};
}

Matching match(const JudgedRows& judged, const GroupSet& all, std::uint64_t seed, bool by_labels,
               const Workers& workers) {
  GroupSet groups;
  std::vector<std::vector<Index>> labels;
  Index at = 0;
  for (std::size_t m = 0; m < judged.sizes.size(); ++m) {
    groups.add(all[static_cast<Index>(m)].name,
               Matrix(judged.rows.middleRows(at, judged.sizes[m])));
    if (by_labels) {
      const auto first = judged.label_of.begin() + at;
      labels.emplace_back(first, first + judged.sizes[m]);
    }
    at += judged.sizes[m];
  }
  if (by_labels) groups.set_labels(all.label_names(), std::move(labels));
  groups.set_measured(all.measured());
  SelfCommunicator comm;
  return match_groups(groups, {.by_labels = by_labels, .count_islands = true, .seed = seed}, comm,
                      workers);
}

// As they are, which is how layers will see them: pixels that are nearly always white would tell
// clusters apart if they were divided by their spread.
JudgedRows rows_to_compare(const GroupSet& groups, std::uint64_t seed) {
  std::vector<Index> sizes;
  for (Index m = 0; m < groups.num_groups(); ++m) sizes.push_back(groups[m].rows.rows());
  const Index most = std::min(kRowsForClusters, rows_per_group(sizes, kAllRowsForClusters));
  return draw_rows(groups, most, Purpose::kDiagnosis, seed);
}

// How often the nearest row is of another group, compared with groups that are mixed perfectly.
// A matching ships no more than its price allows, so it cannot tell that groups overlap entirely.
double mixing_of(const JudgedRows& judged, const Workers& workers) {
  const Index all = judged.rows.rows();
  const Index count = std::min(all, kRowsForMixing);
  Matrix some(count, judged.rows.cols());
  std::vector<Index> group_of;
  std::vector<double> parts(judged.sizes.size(), 0.0);
  for (Index i = 0; i < count; ++i) {
    const Index row = i * all / count;
    some.row(i) = judged.rows.row(row);
    group_of.push_back(judged.group_of[row]);
    parts[group_of.back()] += 1 / static_cast<double>(count);
  }
  const Neighbors nearest = nearest_neighbors(some, 1, workers);
  double others = 0, expected = 1;
  for (Index i = 0; i < count; ++i) {
    others += group_of[nearest.rows(i, 0)] == group_of[i] ? 0 : 1 / static_cast<double>(count);
  }
  for (const double part : parts) expected -= part * part;
  return std::min(1.0, others / expected);
}

bool can_be_compared(const GroupSet& groups) {
  if (groups.num_groups() < 2 || groups.dim() < 2) return false;
  groups.validate();
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (groups[m].rows.rows() < kFewestRowsOfGroup) return false;
  }
  return true;
}

// Whether the other options allow a gate.
bool leaves_room(const FitOptions& options, Index dim) {
  return (kGatedMethods & only(options.method)) != 0 && options.image.empty() &&
         options.estimator == Estimator::kQuantile && options.directions.value_or(1) < dim &&
         options.validation_fraction.value_or(0) == 0;
}

ClustersRecord record_of(const Compositions& found) {
  ClustersRecord out;
  for (std::size_t m = 0; m < found.matching.groups.size(); ++m) {
    const MatchedGroup& group = found.matching.groups[m];
    const auto shares = found.clusters.shares.row(static_cast<Index>(m));
    out.groups.push_back(
        {.matched = group.matched,
         .distance = group.own_distance > 0 ? group.partner_distance / group.own_distance : 0,
         .parts = group.islands,
         .shares = std::vector<double>(shares.begin(), shares.end())});
  }
  out.sentences = describe(found.matching);
  return out;
}

// Shares of clusters, and how far apart they are when rows are assigned to the groups at random.
Composition composition_of(const std::vector<Index>& cluster_of, std::vector<std::string> names,
                           const JudgedRows& judged, Index permutations, std::uint64_t seed,
                           const Workers& workers) {
  const auto clusters = static_cast<Index>(names.size());
  const auto groups = static_cast<Index>(judged.sizes.size());
  std::vector<double> permuted(static_cast<std::size_t>(permutations));
  workers.for_each(permutations, [&](Index permutation) {
    Stream stream(seed, Purpose::kDiagnosis, static_cast<std::uint64_t>(permutation), 1);
    const std::vector<Index> order = stream.permutation(judged.rows.rows());
    std::vector<Index> group_of(judged.group_of.size());
    for (std::size_t i = 0; i < group_of.size(); ++i) group_of[i] = judged.group_of[order[i]];
    permuted[permutation] =
        largest_total_variation(shares_by_cluster(cluster_of, group_of, clusters, groups));
  });
  Composition out{.clusters = std::move(names),
                  .shares = shares_by_cluster(cluster_of, judged.group_of, clusters, groups),
                  .difference = {}};
  out.difference = compared(largest_total_variation(out.shares), std::move(permuted));
  return out;
}

// The labels of all rows, which are counted sooner than drawn, without the rows.
JudgedRows labels_of_all(const GroupSet& groups) {
  JudgedRows out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Index size = groups[m].rows.rows();
    out.sizes.push_back(size);
    out.group_of.insert(out.group_of.end(), static_cast<std::size_t>(size), m);
    for (Index i = 0; i < size; ++i) out.label_of.push_back(groups[m].label(i));
  }
  out.rows.resize(groups.num_samples(), 0);
  return out;
}

// Few rows, or features that leave no gaps, can hide clusters that are there.
std::string reason_for_single_clouds(const Composition& clusters) {
  std::string out = "Whole groups are aligned: they have no separate clusters.";
  if (unlike(clusters)) {
    out += fmt::format(
        " Yet {:.0f} % of a group's rows lie where another group has fewer: if these are different "
        "classes, they have been moved onto each other.",
        100 * clusters.difference.value);
  }
  return out + " If clusters must not be mixed, give labels, or choose --gate clusters.";
}

std::string reason_for_labels(const GroupSet& groups, const KnownLabels& known) {
  SelfCommunicator comm;
  if (steering_labels(groups, comm).count() == 0) {
    return "Labels did not guide the matching of clusters, because no three rows share one: rows "
           "are "
           "aligned within clusters that were found without labels.";
  }
  return fmt::format(
      "Rows are aligned within clusters, which follow the labels of {}. With --gate none whole "
      "groups would be aligned.",
      known_phrase(known));
}

}  // namespace

std::string known_phrase(const KnownLabels& known) {
  const double percent = 100 * known.part;
  return percent < 1 ? fmt::format("{:.2g} % of the rows", percent)
                     : fmt::format("{:.0f} % of the rows", percent);
}

Compositions compare_compositions(const GroupSet& groups, Index permutations, std::uint64_t seed,
                                  bool by_labels, const Workers& workers) {
  const JudgedRows judged = rows_to_compare(groups, seed);
  Compositions out{.matching = match(judged, groups, seed, by_labels, workers)};
  std::vector<std::string> names;
  for (Index c = 0; c < out.matching.num_clusters(); ++c)
    names.push_back(fmt::format("cluster {}", c + 1));
  std::vector<Index> cluster_of;
  for (const auto& clusters : out.matching.clusters) {
    cluster_of.insert(cluster_of.end(), clusters.begin(), clusters.end());
  }
  out.clusters = composition_of(cluster_of, names, judged, permutations, seed, workers);
  double near = 0;
  for (const MatchedGroup& group : out.matching.groups) {
    near += group.near / static_cast<double>(out.matching.groups.size());
  }
  out.overlap = std::max(near, mixing_of(judged, workers));
  if (groups.label_names().size() > 1) {
    const JudgedRows counted = labels_of_all(groups);
    out.labels = composition_of(counted.label_of, groups.label_names(), counted, permutations, seed,
                                workers);
  }
  return out;
}

bool unlike(const Composition& composition) {
  return composition.difference.beyond_chance() &&
         composition.difference.value > kUnlikeComposition;
}

GateChoice choose_gate(const Compositions& found) {
  const std::vector<MatchedGroup>& groups = found.matching.groups;
  const auto parted = std::max_element(
      groups.begin(), groups.end(),
      [](const MatchedGroup& a, const MatchedGroup& b) { return a.islands < b.islands; });
  // A group may be made of two separate clusters, such as two styles of one digit, that all groups
  // together fill continuously; both must be separate.
  const bool has_parts =
      parted != groups.end() && parted->islands > 1 && found.matching.islands > 1;
  const bool far = found.overlap < kLeastOverlap;
  if (!has_parts) {
    return {.gate = false, .reason = far ? kFarClouds : reason_for_single_clouds(found.clusters)};
  }
  if (!unlike(found.clusters) && !far) return {.gate = false, .reason = kSameClusters};
  GateChoice out{.gate = true};
  out.reason = fmt::format(
      "Rows are aligned within clusters, found without labels, because {} has {} separate "
      "clusters, "
      "and {}. With --gate none whole groups would be aligned, which moves rows of one cluster "
      "onto "
      "another if proportions differ.",
      parted->name, parted->islands,
      far ? "the groups are so far apart that clusters are matched by their positions only (labels "
            "would be surer)"
          : fmt::format("proportions of clusters differ between groups by {:.0f} % of the rows",
                        100 * found.clusters.difference.value));
  return out;
}

GateDecision decide_gate(const GroupSet& groups, const FitOptions& requested, Index processes,
                         const Workers& workers) {
  const bool open = requested.gate == Gating::kAuto;
  // With covariates, they are the gate, and only layers that read covariates may follow.
  if (groups.covariates() > 0 && open) {
    return {.gate = gates_by_covariates(requested.method) ? Gating::kKept : Gating::kNone};
  }
  const KnownLabels known = known_labels(groups);
  const bool by_labels = requested.gate == Gating::kLabel && known.in_part;
  const bool by_cluster = requested.gate == Gating::kClusters || by_labels;
  if (!open && !by_cluster) return {.gate = requested.gate};
  // Finding clusters needs rows of several groups in one process.
  const bool comparable = processes == 1 && can_be_compared(groups);
  if (open && (!comparable || !leaves_room(requested, groups.dim()))) return {};
  if (!comparable) return {.gate = requested.gate};
  const Compositions found =
      compare_compositions(groups, kPermutations, requested.seed, by_labels, workers);
  GateDecision out{.gate = requested.gate, .clusters = record_of(found)};
  if (by_labels) out.clusters.reason = reason_for_labels(groups, known);
  if (!open) return out;
  const GateChoice choice = choose_gate(found);
  out.gate = choice.gate ? Gating::kClusters : Gating::kNone;
  out.clusters.reason = choice.reason;
  return out;
}

}  // namespace conflux

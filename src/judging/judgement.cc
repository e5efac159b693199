#include "conflux/judging/judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "conflux/core/error.h"
#include "conflux/metrics/moves.h"
#include "core/rng.h"
#include "judging/clusters_around.h"
#include "judging/near_rows.h"
#include "judging/verdict.h"
#include "metrics/judged_rows.h"
#include "metrics/thinning.h"
#include "metrics/unexplained.h"

namespace conflux {

namespace {

// Some rows before and after, by position in the alignment.
struct Pair {
  Matrix before = {};
  Matrix after = {};
  std::vector<Index> group_of = {};
  std::vector<Index> label_of = {};
  /// Clusters, or labels, that the verdict asks within.
  std::vector<Index> within = {};
  std::vector<Index> sizes = {};
};

Index count_groups(const Alignment& alignment) {
  const auto largest = std::max_element(alignment.group_of.begin(), alignment.group_of.end());
  const Index seen = largest == alignment.group_of.end() ? 0 : *largest + 1;
  return std::max(seen, static_cast<Index>(alignment.group_names.size()));
}

void check_shapes(const Alignment& alignment) {
  const Index rows = alignment.before.rows();
  const auto groups = static_cast<Index>(alignment.group_of.size());
  const auto labels = static_cast<Index>(alignment.label_of.size());
  if (alignment.after.rows() != rows || groups != rows || (labels != 0 && labels != rows)) {
    throw InvalidData(
        fmt::format("there are {} rows before, {} after, {} group numbers and {} labels; give one "
                    "of each per row.",
                    rows, alignment.after.rows(), groups, labels));
  }
  if (alignment.before.cols() != alignment.after.cols()) {
    throw InvalidData(
        fmt::format("rows have {} columns before and {} after; they must be the same.",
                    alignment.before.cols(), alignment.after.cols()));
  }
}

// At most `max_rows` rows, of the largest groups fewer, in their order.
Pair draw_pair(const Alignment& alignment, Index max_rows, std::uint64_t seed) {
  std::vector<std::vector<Index>> rows(static_cast<std::size_t>(count_groups(alignment)));
  for (std::size_t i = 0; i < alignment.group_of.size(); ++i) {
    rows[alignment.group_of[i]].push_back(static_cast<Index>(i));
  }
  std::vector<Index> sizes;
  sizes.reserve(rows.size());
  for (const auto& each : rows) sizes.push_back(static_cast<Index>(each.size()));
  const Index most = rows_per_group(sizes, max_rows);
  Pair out;
  std::vector<Index> chosen;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    Stream stream(seed, Purpose::kMetric, m, 1);
    std::vector<Index> order = stream.permutation(sizes[m]);
    order.resize(static_cast<std::size_t>(std::min(most, sizes[m])));
    std::sort(order.begin(), order.end());
    for (const Index i : order) chosen.push_back(rows[m][i]);
    out.sizes.push_back(static_cast<Index>(order.size()));
  }
  const auto count = static_cast<Index>(chosen.size());
  out.before.resize(count, alignment.before.cols());
  out.after.resize(count, alignment.after.cols());
  for (Index i = 0; i < count; ++i) {
    alignment.before.copy_row(chosen[i], out.before.row(i).data());
    alignment.after.copy_row(chosen[i], out.after.row(i).data());
    out.group_of.push_back(alignment.group_of[chosen[i]]);
    if (!alignment.label_of.empty()) out.label_of.push_back(alignment.label_of[chosen[i]]);
    if (!alignment.cluster_of.empty()) out.within.push_back(alignment.cluster_of[chosen[i]]);
  }
  if (alignment.cluster_of.empty()) out.within = out.label_of;
  return out;
}

// Replaces features by their residuals on the covariates, before and after with slopes of their
// own.
void leave_unexplained(Pair& pair, Index covariates) {
  pair.before = unexplained(pair.before, covariates, pair.group_of);
  pair.after = unexplained(pair.after, covariates, pair.group_of);
}

Vector factors_of(const Pair& pair, const Matrix& rows) {
  JudgedRows copy{.rows = rows, .group_of = pair.group_of, .sizes = pair.sizes};
  return standardize_within_groups(copy);
}

// Features in unlike units are divided by their deviations within groups, before and after each by
// its own.
void make_comparable(Pair& pair) {
  const Vector before = factors_of(pair, pair.before), after = factors_of(pair, pair.after);
  if (one_unit(pair.before, before)) return;
  pair.before *= before.asDiagonal();
  pair.after *= after.asDiagonal();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<double> means_by_cluster(const std::vector<double>& values,
                                     const std::vector<Index>& cluster_of, std::size_t clusters) {
  std::vector<double> sums(clusters, 0.0), counts(clusters, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (cluster_of[i] < 0) continue;
    sums[cluster_of[i]] += values[i];
    counts[cluster_of[i]] += 1;
  }
  for (std::size_t c = 0; c < clusters; ++c) sums[c] /= std::max(1.0, counts[c]);
  return sums;
}

std::vector<Index> shuffled(const std::vector<Index>& clusters, std::uint64_t seed) {
  Stream stream(seed, Purpose::kMetric, 0, 2);
  const std::vector<Index> order = stream.permutation(static_cast<Index>(clusters.size()));
  std::vector<Index> out;
  out.reserve(order.size());
  for (const Index i : order) out.push_back(clusters[i]);
  return out;
}

// Rows of unknown label are left out.
Pair labeled_rows(const Pair& pair) {
  std::vector<Index> known;
  for (std::size_t i = 0; i < pair.label_of.size(); ++i) {
    if (pair.label_of[i] >= 0) known.push_back(static_cast<Index>(i));
  }
  Pair out{.before = pair.before(known, Eigen::all), .after = pair.after(known, Eigen::all)};
  for (const Index i : known) out.label_of.push_back(pair.label_of[i]);
  return out;
}

void judge_labels(const Pair& pair, const Alignment& alignment, std::uint64_t seed,
                  const Workers& workers, Judgement& out) {
  const LisiOptions options;
  if (pair.before.rows() <= 3 * options.perplexity) return;
  const auto index = [&](const Matrix& rows, const std::vector<Index>& clusters) {
    return lisi(rows, clusters, options, workers);
  };
  const std::vector<double> before = index(pair.before, pair.label_of);
  const std::vector<double> after = index(pair.after, pair.label_of);
  const std::vector<double> permuted = index(pair.after, shuffled(pair.label_of, seed));
  out.clisi = Change{median(before), median(after), median(permuted)};
  const std::size_t labels = alignment.label_names.size();
  const std::vector<double> of_before = means_by_cluster(before, pair.label_of, labels);
  const std::vector<double> of_after = means_by_cluster(after, pair.label_of, labels);
  const std::vector<double> of_permuted = means_by_cluster(permuted, pair.label_of, labels);
  for (std::size_t c = 0; c < labels; ++c) {
    out.clisi_of_label.push_back({of_before[c], of_after[c], of_permuted[c]});
  }
}

void judge_mixing(const Pair& pair, const Alignment& alignment, std::uint64_t seed,
                  const Workers& workers, Judgement& out) {
  const LisiOptions options;
  if (pair.before.rows() <= 3 * options.perplexity) return;
  const auto index = [&](const Matrix& rows, const std::vector<Index>& clusters) {
    return lisi(rows, clusters, options, workers);
  };
  out.ilisi =
      Change{median(index(pair.before, pair.group_of)), median(index(pair.after, pair.group_of)),
             median(index(pair.after, shuffled(pair.group_of, seed)))};
  if (alignment.label_names.empty() || pair.label_of.empty()) return;
  judge_labels(labeled_rows(pair), alignment, seed, workers, out);
}

void judge_neighborhoods(const Pair& pair, const Alignment& alignment, const Workers& workers,
                         Judgement& out) {
  if (alignment.label_names.empty() || pair.label_of.empty()) return;
  const ClustersAround found =
      look_around(pair.before, pair.after, pair.label_of,
                  static_cast<Index>(alignment.label_names.size()), workers);
  for (std::size_t a = 0; a < found.clusters.size(); ++a) {
    const auto before = found.before.row(static_cast<Index>(a));
    const auto after = found.after.row(static_cast<Index>(a));
    out.neighborhoods.push_back({.label = alignment.label_names[found.clusters[a]],
                                 .rows = found.rows[a],
                                 .before = {before.begin(), before.end()},
                                 .after = {after.begin(), after.end()}});
  }
}

void judge_neighbors(const Pair& pair, const Workers& workers, Judgement& out) {
  double sum = 0, chance = 0, judged = 0;
  Index at = 0;
  for (const Index size : pair.sizes) {
    const ConstRows before = ConstRows(pair.before).middle_rows(at, size);
    const ConstRows after = ConstRows(pair.after).middle_rows(at, size);
    at += size;
    out.neighbors_kept.push_back(size > 1 ? neighbors_kept(before, after, workers) : 1);
    if (size < 2) continue;
    const auto others = static_cast<double>(size - 1);
    sum += out.neighbors_kept.back();
    chance += std::min(1.0, static_cast<double>(std::min(kNeighborsToKeep, size / 2)) / others);
    judged += 1;
  }
  if (judged == 0) return;
  out.mean_neighbors_kept = sum / judged;
  out.neighbors_by_chance = chance / judged;
}

void judge_distances(const Pair& pair, bool transfer, std::uint64_t seed, const Workers& workers,
                     Judgement& out) {
  const NearRows before = look_at_pairs(pair.before, pair.group_of, pair.label_of, seed, workers);
  const NearRows after = look_at_pairs(pair.after, pair.group_of, pair.label_of, seed, workers);
  out.energy = {before.energy, after.energy, after.energy_by_chance};
  out.energy_low = after.energy_low;
  for (std::size_t m = 0; m < after.energy_of_group.size(); ++m) {
    out.energy_of_group.push_back({before.energy_of_group[m], after.energy_of_group[m],
                                   after.group_low[m], after.group_high[m]});
  }
  if (transfer && !pair.label_of.empty() && !std::isnan(after.label_transfer)) {
    out.label_transfer = {before.label_transfer, after.label_transfer,
                          after.label_transfer_by_chance};
  }
}

void sort_by_distance(std::vector<Move>& moves) {
  std::stable_sort(moves.begin(), moves.end(),
                   [](const Move& a, const Move& b) { return a.distance > b.distance; });
}

std::string feature_name(const Alignment& alignment, std::size_t j) {
  return alignment.feature_names.empty() ? std::to_string(j + 1) : alignment.feature_names[j];
}

void rank_importance(const Alignment& alignment, Judgement& out) {
  for (std::size_t j = 0; j < out.prediction_after.importance.size(); ++j) {
    out.given_away_by.push_back(
        {feature_name(alignment, j),
         {out.prediction_before.importance[j], out.prediction_after.importance[j]}});
  }
  std::stable_sort(out.given_away_by.begin(), out.given_away_by.end(),
                   [](const auto& a, const auto& b) { return a.second.second > b.second.second; });
}

void judge_moves(const Pair& pair, const Alignment& alignment, Judgement& out) {
  const Vector factors = factors_of(pair, pair.before);
  const Index features = pair.before.cols() - alignment.covariates;
  const Matrix moved =
      ((pair.after - pair.before) * factors.asDiagonal()).eval().leftCols(features);
  const auto rows = static_cast<double>(moved.rows());
  for (Index j = 0; j < moved.cols(); ++j) {
    out.features_moved.push_back({feature_name(alignment, static_cast<std::size_t>(j)),
                                  std::sqrt(moved.col(j).squaredNorm() / rows)});
  }
  Index at = 0;
  for (std::size_t m = 0; m < pair.sizes.size(); ++m) {
    const Index size = pair.sizes[m];
    if (size == 0) continue;
    const double squares = moved.middleRows(at, size).squaredNorm();
    at += size;
    out.groups_moved.push_back(
        {alignment.group_names.empty() ? std::to_string(m) : alignment.group_names[m],
         std::sqrt(squares / static_cast<double>(size * moved.cols()))});
  }
  sort_by_distance(out.features_moved);
  sort_by_distance(out.groups_moved);
}

GroupPredictions predict_pair(const Pair& pair, const JudgementOptions& options, bool importance,
                              const Workers& workers) {
  const PredictionOptions predicting{.seed = options.seed};
  const PredictionOptions in_detail{.seed = options.seed, .importance = importance};
  GroupPredictions out{.rows = pair.before.rows()};
  out.before = predict_groups(SampleRows(pair.before), pair.group_of, in_detail, workers);
  out.after = predict_groups(SampleRows(pair.after), pair.group_of, in_detail, workers);
  if (pair.within.empty()) return out;
  const auto within = [&](const Matrix& rows) {
    return predict_within_clusters(rows, pair.group_of, pair.within, predicting, workers);
  };
  out.within_before = within(pair.before);
  out.within_after = within(pair.after);
  return out;
}

// Means over the judgement's own rows and further ones.
void take_means(const std::vector<GroupPredictions>& all, Judgement& out) {
  const auto mean_of = [&](auto field) -> std::optional<GroupPrediction> {
    std::vector<GroupPrediction> known;
    for (const GroupPredictions& each : all) {
      const std::optional<GroupPrediction> prediction = each.*field;
      if (prediction) known.push_back(*prediction);
    }
    if (known.empty()) return std::nullopt;
    return mean_prediction(known);
  };
  out.prediction_before = *mean_of(&GroupPredictions::before);
  out.prediction_after = *mean_of(&GroupPredictions::after);
  out.within_before = mean_of(&GroupPredictions::within_before);
  out.within_after = mean_of(&GroupPredictions::within_after);
  for (const GroupPredictions& each : all) out.rows += each.rows;
}

}  // namespace

GroupPredictions predict_alignment(const Alignment& alignment, const JudgementOptions& options,
                                   const Workers& workers) {
  check_shapes(alignment);
  Pair pair = draw_pair(alignment, options.max_rows, options.seed);
  leave_unexplained(pair, alignment.covariates);
  return predict_pair(pair, options, false, workers);
}

Judgement judge_alignment(const Alignment& alignment, const JudgementOptions& options,
                          const Workers& workers) {
  check_shapes(alignment);
  Judgement out{.clusters_found = alignment.labels_found || !alignment.cluster_of.empty()};
  {
    Pair pair = draw_pair(alignment, options.max_rows, options.seed);
    judge_moves(pair, alignment, out);
    leave_unexplained(pair, alignment.covariates);
    std::vector<GroupPredictions> all{predict_pair(pair, options, true, workers)};
    all.insert(all.end(), options.further.begin(), options.further.end());
    take_means(all, out);
    out.within_labels = options.labels_protected && out.within_after.has_value();
    out.gain_error = error_of_difference(out.verdict_before(), out.verdict_after());
    rank_importance(alignment, out);
  }
  Pair near = draw_pair(alignment, options.near_rows, options.seed);
  leave_unexplained(near, alignment.covariates);
  make_comparable(near);
  judge_mixing(near, alignment, options.seed, workers, out);
  judge_neighborhoods(near, alignment, workers, out);
  judge_neighbors(near, workers, out);
  judge_distances(near, !alignment.labels_found, options.seed, workers, out);
  pronounce(out, alignment, near.label_of);
  return out;
}

}  // namespace conflux

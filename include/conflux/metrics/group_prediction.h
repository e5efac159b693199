// Can the group of a row be predicted from the row?
//
// A panel of classifiers (linear and quadratic discriminants on normal scores, kernel ridge
// regression, boosted trees) learns each group against all others on training rows and is scored on
// test rows; inner held-out rows give the weight of each classifier. The area under the ROC curve
// (AUC) is the probability that a row of the group gets a higher score than a row of another: 0.5
// is chance, 1 is certainty. With several groups it is the mean over the groups, each against the
// others. It detects every kind of difference (shifts, scales, interactions) and means the same for
// every table.
//
// The chance level has a closed form. If the group is independent of the row, the groups of the
// test rows are a random assignment, and the variance of the AUC over all permutations follows from
// the scores, ties included (the variance of a linear permutation statistic), so that nothing has
// to be permuted. Folds are not independent: if two of them are similar by accident, each is
// predicted well from the other. For scores that are linear in the training rows this doubles the
// variance of the mean over folds, and that doubled variance is used.
//
// Features count by their ranks only: an increasing map of a feature changes nothing. A value that
// is not a number counts as missing, which the panel may use. The result depends on the seed, not
// on the number of threads.
//
// With more than 256 features, the panel uses the 256 whose ranks differ most, in location or in
// scale, among its training rows.
//
// Of more than 64 groups, 64 that are drawn by seed take part: the mean over them stands for all.
//
// Cost: folds x groups x trees x rows x features; docs/results/judge.md has seconds. Few rows cost
// five fits per fold, more rows two, many rows one. Importance costs a further score of some rows
// per feature.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"

namespace conflux {

struct PredictionOptions {
  /// Parts of the rows that are judged in turn, each by a panel that has not seen it.
  Index folds = 3;
  /// Boosted trees of each group.
  Index trees = 100;
  /// Rows of all groups together at most. Beyond, the largest groups are thinned, by seed.
  Index max_rows = 100'000;
  std::uint64_t seed = 0;
  /// Whether to measure GroupPrediction::importance.
  bool importance = false;
};

struct GroupPrediction {
  /// Area under the curve: 0.5 is chance, 1 certainty.
  double auc = 0.5;
  /// Standard deviation of the AUC when groups are assigned to the rows at random.
  double deviation = 0;
  /// How probable an AUC of this size or more is then.
  double p_value = 1;
  /// AUC of each group against the others; NaN for a group that is left out: one with fewer rows
  /// than there are folds, or one that was not drawn.
  std::vector<double> per_group = {};
  /// Importance of each feature: its part of the AUC that is lost when features are permuted among
  /// the test rows. Losses of less than two standard errors count as none; the sum is 1, or 0 if no
  /// loss is clear. Empty unless requested.
  std::vector<double> importance = {};
  /// Rows that were judged.
  Index rows = 0;
  /// Contribution of each given row to the error of the AUC: the sum of squares is the variance of
  /// the AUC over new test rows, and that of differences the variance of a difference of two AUCs
  /// on the same rows. 0 for rows that were not scored.
  std::vector<double> influences = {};

  /// The AUC that 95 % of random assignments stay below.
  double by_chance() const { return 0.5 + 1.6449 * deviation; }
  /// False: this panel cannot predict the group from these rows better than random assignments.
  bool beyond_chance() const { return auc > by_chance(); }
  /// One standard error of the AUC, of the choice of the rows that were judged.
  double error() const;
  /// The ends of the 95 % interval of the AUC for new rows, as far as it depends on the choice of
  /// test rows.
  double low() const;
  double high() const;
  /// The group with the highest AUC; unset with fewer than three groups, whose AUCs are equal.
  std::optional<Index> worst_group() const;
};

/// One standard error of the difference of two predictions of the same rows.
double error_of_difference(const GroupPrediction& a, const GroupPrediction& b);

/// The mean of predictions about different rows, by their numbers of rows; importance is that of
/// the first. Rows count one after the other in `influences`.
GroupPrediction mean_prediction(const std::vector<GroupPrediction>& predictions);

/// Cross-validated on `rows`; group_of[i] is 0 .. M-1. Throws InvalidData unless two groups have at
/// least as many rows as there are folds.
GroupPrediction predict_groups(const SampleRows& rows, std::span<const Index> group_of,
                               const PredictionOptions& options, const Workers& workers);
GroupPrediction predict_groups(const GroupSet& groups, const PredictionOptions& options,
                               const Workers& workers);

/// Learned on all rows of `known`, judged on the rows of `judged`; folds are not used. The same
/// numbers must mean the same groups in both. Groups that are missing in one of them are left out.
GroupPrediction predict_groups(const SampleRows& known, std::span<const Index> known_groups,
                               const SampleRows& judged, std::span<const Index> judged_groups,
                               const PredictionOptions& options, const Workers& workers);

/// Among rows of the same cluster only: the mean over clusters, by their rows. cluster_of[i] is -1
/// where it is unknown. Groups that hold clusters in different shares can be predicted from the
/// clusters alone; this does not see it. Importance is left empty. Unset when no cluster has enough
/// rows of two groups.
std::optional<GroupPrediction> predict_within_clusters(const SampleRows& rows,
                                                       std::span<const Index> group_of,
                                                       std::span<const Index> cluster_of,
                                                       const PredictionOptions& options,
                                                       const Workers& workers);

}  // namespace conflux

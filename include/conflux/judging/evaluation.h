// How well a flow aligns rows, seen by the fit or not.
//
// The judgement (judgement.h) has the verdict and the standard scores; further metrics are
// requested by name. A metric of two groups is measured between rows translated to the other group
// and the rows of that group, or between both in the shared space; its chance level is the same
// metric when the rows of both are assigned to two groups of these sizes at random. With many
// groups some pairs are sampled, so that the cost grows with the number of groups and not with its
// square.
//
// Cost: that of the metrics; w2_exact of 1000 rows takes about 0.3 s per pair.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/flow/flow.h"
#include "conflux/judging/judgement.h"
#include "conflux/options/options.h"

namespace conflux {

enum class EvaluationSpace {
  kTranslated,  ///< each group as the other, against the other
  kShared,      ///< both in the shared space
};

struct EvaluationOptions {
  /// Names of metric_names(); empty: those of usual_metrics().
  std::vector<std::string> metrics = {};
  EvaluationSpace space = EvaluationSpace::kTranslated;
  /// The gate of the fit. Rows that were aligned within labels or clusters are scored within these
  /// (JudgementOptions); clusters are found again, by matching the rows before the alignment.
  Gating gate = Gating::kNone;
  /// The judgement looks at rows translated to this group; empty: at rows of the shared space.
  std::string to = {};
  /// Rows of each group at most; of all groups together at most 20,000.
  Index max_rows = 10'000;
  /// Rows of each group at most for metrics of two groups, and pairs of groups at most.
  Index pair_rows = 1'000;
  Index max_pairs = 30;
  /// Feature map for `frechet` and `kernel_distance` (image_features.h), which are then measured in
  /// any case. Empty: they use the rows themselves.
  std::function<Matrix(ConstRows rows, const Workers& workers)> features = {};
  /// Rows per block of exact distances; 0: as the metric chooses.
  Index block = 0;
  /// As in JudgementOptions: what was found for rows that other flows have moved.
  std::vector<GroupPredictions> further = {};
  std::uint64_t seed = 0;
  int threads = 0;
  /// Called with the name of the metric that is being measured.
  std::function<void(const std::string&)> progress = {};
};

struct PairValue {
  Index a = 0;
  Index b = 0;
  double before = 0;
  double after = 0;
  double by_chance = 0;
};

struct LabelValue {
  std::optional<double> before = std::nullopt;
  double after = 0;
};

struct MetricResult {
  std::string name;
  /// The mean over all; the median of LISI; the largest of round_trip. A metric of moves has no
  /// value before.
  std::optional<double> before = std::nullopt;
  double after = 0;
  std::optional<double> by_chance = std::nullopt;
  /// Values of a metric that compares two groups, pair by pair.
  std::vector<PairValue> pairs = {};
  /// Values of a metric that has one for each group or each label.
  std::vector<double> per_group = {};
  std::vector<LabelValue> per_label = {};
};

struct Evaluation {
  std::vector<std::string> group_names = {};
  /// Rows of each group that were measured, and of each label.
  std::vector<Index> rows = {};
  std::vector<std::string> label_names = {};
  std::vector<Index> rows_of_label = {};
  /// Unset when fewer than two groups have three rows.
  std::optional<Judgement> judgement = std::nullopt;
  std::vector<MetricResult> metrics = {};
};

/// Names of all metrics, in the order of the manual: metrics of two groups, scores of the
/// judgement, and those of metrics/integration.h, of which "scib" is all.
std::vector<std::string> metric_names();

/// Moves, neighbors, round trip, and how groups and labels mix where there are rows enough.
std::vector<std::string> usual_metrics(const GroupSet& groups);

/// Groups are found in the flow by their names. Throws InvalidData for a group that it does not
/// know, InvalidOption for an unknown metric.
Evaluation evaluate(const Flow& flow, const GroupSet& groups,
                    const EvaluationOptions& options = {});

/// The predictions of the judgement alone; unset when fewer than two groups have three rows.
std::optional<GroupPredictions> prediction_after(const Flow& flow, const GroupSet& groups,
                                                 const EvaluationOptions& options);

// Scores of an alignment by its amount (Flow::set_amount): a curve from rows in place to rows moved
// all the way.
//
// Every amount is scored on the same rows, in the shared space, by the same panel in the same
// folds, so that the points of a curve can be compared; with covariates, by the residuals
// of the features on these. Cost: two or three predictions of at most 3,000 rows per amount.

struct AmountPoint {
  double amount = 0;
  /// AUC of predicting the group, and what 95 % of random assignments stay below.
  double group_auc = 0.5;
  double group_by_chance = 0.5;
  /// The same among rows of one label; unset without labels that two groups share.
  std::optional<double> group_auc_within = {};
  /// AUC of predicting the label from the rows of all groups; unset without two labels.
  std::optional<double> label_auc = {};
  /// Root mean square of the moves, in standard deviations of the features within groups before.
  double moved = 0;
};

/// From 0 to 1 in tenths.
std::vector<double> curve_amounts();

/// Empty unless two groups have three rows. Throws InvalidOption if the flow has no parts.
std::vector<AmountPoint> amount_curve(const Flow& flow, const GroupSet& groups,
                                      const std::vector<double>& amounts,
                                      const EvaluationOptions& options);

}  // namespace conflux

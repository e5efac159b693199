// Record of a fit: options, layers, stopping, scores.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conflux/comparing/check.h"
#include "conflux/options/options.h"

namespace conflux {

struct LayerRecord {
  Index layer = 0;
  std::string kind = {};
  /// Mean spread of the groups along the layer's directions (squared Wasserstein distance to the
  /// barycenter): at the start of the search, where it ended, and there after the layer has moved
  /// the groups. Zero for layers without a search.
  double spread_at_start = 0;
  double spread_before = 0;
  double spread_after = 0;
  /// Divergence of the held-out rows after this layer; unset when none are held out.
  std::optional<double> held_out = std::nullopt;
  /// One standard error of it, of the choice of these rows.
  std::optional<double> held_out_error = std::nullopt;
  Index steps = 0;
  Index evaluations = 0;
  Index passes = 0;
  double seconds = 0;
  /// Parts of the seconds: products with the rows, and sorting with the work on sorted values.
  double product_seconds = 0;
  double sort_seconds = 0;
  /// Work of the products: multiplications and additions, and bytes of rows read or written.
  double flops = 0;
  double bytes = 0;
};

/// Calls f(name, field) for every field, in the order in which files and front ends show them.
template <class Record, class F>
void visit_layer_record(Record& record, F&& f) {
  f("layer", record.layer);
  f("kind", record.kind);
  f("spread_at_start", record.spread_at_start);
  f("spread_before", record.spread_before);
  f("spread_after", record.spread_after);
  f("held_out", record.held_out);
  f("held_out_error", record.held_out_error);
  f("steps", record.steps);
  f("evaluations", record.evaluations);
  f("passes", record.passes);
  f("seconds", record.seconds);
  f("product_seconds", record.product_seconds);
  f("sort_seconds", record.sort_seconds);
  f("flops", record.flops);
  f("bytes", record.bytes);
}

/// Whether the group of held-out rows could be predicted at some point of a fit.
struct PredictionRecord {
  /// Layers before it.
  Index layer = 0;
  double auc = 0.5;
  /// The AUC that 95 % of random assignments of the groups stay below.
  double by_chance = 0.5;
};

/// Scores of a finished fit, in figures and sentences (conflux/judging/judged_fit.h).
struct FitSummary {
  /// A word of Verdict (conflux/judging/judgement.h); empty if nothing was scored.
  std::string verdict = {};
  /// AUC of predicting the group, within labels if the fit aligned within them.
  double auc_before = 0.5;
  double auc_after = 0.5;
  double auc_by_chance = 0.5;
  /// The interval that holds what new rows show in 95 of 100 cases.
  double auc_low = 0.5;
  double auc_high = 0.5;
  /// With more than two groups the AUC is the mean of each against the others. This is the group
  /// with the highest afterwards; empty with two.
  std::string worst_group = {};
  double worst_before = 0.5;
  double worst_after = 0.5;
  bool within_labels = false;
  /// Share of the nearest rows of the same group that rows keep, and in random order would keep.
  double neighbors_kept = 1;
  double neighbors_by_chance = 0;
  /// The features that moved most, and how far, in deviations within groups.
  std::vector<std::string> moved_most = {};
  std::vector<double> moved_by = {};
  /// Mean energy distance of a group to the others afterwards, relative to distances within groups,
  /// and the band that contains 90 % of random assignments of the groups.
  double energy_after = 0;
  double energy_low = 0;
  double energy_high = 0;
  /// 99 % of the training rows are outside the range (beyond the outer knots) of at most this
  /// fraction of the maps: a new row that is outside of more is unlike the training rows. Unset if
  /// it was not measured, or no map has knots.
  std::optional<double> beyond_knots = std::nullopt;
  /// The range of the coordinates of training rows, feature by feature: rows far beyond it are
  /// unlike these. Empty if it was not measured.
  std::vector<double> reach_low = {};
  std::vector<double> reach_high = {};
  /// Rows that were judged, and how many of them no map was fitted on.
  Index judged_rows = 0;
  Index unseen_rows = 0;
  std::vector<std::string> sentences = {};

  /// Without, figures mean nothing.
  bool judged() const { return judged_rows > 0; }
};

/// Labels of the nearest rows of the rows of one label, among the scored rows of a fit.
struct LabelNeighborhood {
  std::string label = {};
  Index rows = 0;
  /// Shares of the labels, in the order of their list.
  std::vector<double> before = {};
  std::vector<double> after = {};

  bool operator==(const LabelNeighborhood&) const = default;
};

/// One correction of the ladder, judged on rows that its fit has not seen (training/ladder.h).
struct RungRecord {
  /// "none", "means", ..., "cascade", "clusters".
  std::string name = {};
  /// Mean rank correlation of left-out features between groups, and the standard error of its
  /// difference to the chosen rung. Unset where it cannot be measured.
  std::optional<double> transfer = std::nullopt;
  std::optional<double> transfer_error = std::nullopt;
  /// How well the group is predicted afterwards, and what 95 % of random assignments stay below.
  double auc = 0.5;
  double auc_by_chance = 0.5;
  /// Root mean square distance that rows move, in standard deviations within groups.
  double moved = 0;

  bool operator==(const RungRecord&) const = default;
};

/// Which correction the automatic fit chose, and why. Without rungs where there was no choice.
struct LadderRecord {
  /// "transfer" or "hide".
  std::string goal = {};
  std::vector<RungRecord> rungs = {};
  /// Name of the rung that was taken.
  std::string chosen = {};
  /// One sentence each: what was taken, what the next rung would have gained and cost.
  std::vector<std::string> sentences = {};

  bool operator==(const LadderRecord&) const = default;
};

/// A fit of the rows of one label (training/within_labels.h).
struct WithinRecord {
  std::string label = {};
  /// Rows of each group that it was fitted on; 0 where a group has too few of them, whose rows move
  /// as if their label were unknown.
  std::vector<Index> rows = {};
  std::string method = {};
  Index layers = 0;
  /// As FitRecord::stop.
  std::string stop = {};

  bool operator==(const WithinRecord&) const = default;
};

struct FitRecord {
  /// As used, nothing left unset except bins, which depend on the layer.
  FitOptions options;
  /// Rows of each group that were fitted, held-out ones included, over all processes.
  std::vector<Index> group_sizes;
  /// Rows of each group that these were drawn from; empty when all that were given were fitted.
  std::vector<Index> given_sizes = {};
  /// Divergence of the held-out rows (mean energy distance of two groups, without bias) before the
  /// first layer, and after a single NB layer instead; unset when none are held out.
  std::optional<double> held_out_at_start = std::nullopt;
  std::optional<double> held_out_nb = std::nullopt;
  std::vector<LayerRecord> layers;
  /// Layers that were fitted but do not belong to the flow, because held-out rows gained nothing.
  std::vector<LayerRecord> dropped_layers = {};
  /// Before the first layer, and at some places up to the last; empty when nothing was predicted.
  std::vector<PredictionRecord> predictions = {};
  /// Why the fit stopped before the planned number of layers, as a sentence; empty if it did not.
  std::string stop = {};
  ClustersRecord clusters = {};
  LadderRecord ladder = {};
  /// Fits within single labels; empty if labels do not influence how rows move.
  std::vector<WithinRecord> within = {};
  /// The check before the fit, by conflux align and conflux serve; unset otherwise.
  std::optional<CheckRecord> check = std::nullopt;
  FitSummary summary = {};
  /// Neighborhoods of the labels among the scored rows, of those with the most rows if there are
  /// many; empty without labels.
  std::vector<LabelNeighborhood> neighborhoods = {};
  /// Sentences about what a user should know before trusting the result.
  std::vector<std::string> warnings;
  double seconds = 0;
};

/// How fast a fit was, from the records of its layers, dropped ones included.
struct Throughput {
  Index passes = 0;
  double gflops_per_second = 0;
  double gigabytes_per_second = 0;
  /// Shares of the layers' seconds; they sum to 1.
  double product_share = 0;
  double sort_share = 0;
  double rest_share = 0;
};

/// Zeros when no time was recorded.
Throughput throughput_of(const FitRecord& record);

/// Called after every layer; return false to end the fit with the layers so far.
using LayerCallback = std::function<bool(const LayerRecord&)>;

}  // namespace conflux

// Scores of an alignment, beside their chance levels, and a verdict.
//
// The verdict is about predicting the group of a row (group_prediction.h). Further scores: how well
// groups mix around every row (iLISI), the energy distance of each group to the others, the
// fraction of nearest neighbors that a row keeps within its group, whether rows of different labels
// stay apart (cLISI), and whether the nearest row of another group has the same label. Every figure
// stands beside its chance level: groups assigned to the same rows at random.
//
// Rows are compared without scaling if all features have one unit (their standard deviations differ
// by less than a factor of 100, or all values lie in [0, 1]), otherwise in standard deviations
// within groups; distances are then divided by the mean distance within groups, so that shrinking
// all rows gains nothing.
//
// Scores of training rows are optimistic: score held-out rows if there are any.
//
// Cost: two runs of predict_groups(), and n^2 d for at most `near_rows` rows: linear in the number
// of groups.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "conflux/metrics/group_prediction.h"
#include "conflux/training/fit_record.h"

namespace conflux {

/// Rows before and after; row i of `after` is the image of row i of `before`.
struct Alignment {
  SampleRows before = {};
  SampleRows after = {};
  /// 0 .. M-1.
  std::span<const Index> group_of = {};
  /// Positions in label_names, -1 for unknown; empty: no labels.
  std::span<const Index> label_of = {};
  /// Clusters within which the verdict predicts the group, if labels are known of some rows only;
  /// empty: within labels.
  std::span<const Index> cluster_of = {};
  std::vector<std::string> group_names = {};
  std::vector<std::string> label_names = {};
  /// Labels are clusters that were found in the rows before, so that cLISI says little.
  bool labels_found = false;
  /// The last columns are covariates, which did not move: rows are judged by what these do not
  /// explain of the features.
  Index covariates = 0;
  /// Empty: features are called by their numbers, from 1.
  std::vector<std::string> feature_names = {};
};

/// Whether the group of a row can be predicted, before and after, among all rows and among those of
/// one label; the latter unset without labels that two groups share.
struct GroupPredictions {
  GroupPrediction before = {};
  GroupPrediction after = {};
  std::optional<GroupPrediction> within_before = std::nullopt;
  std::optional<GroupPrediction> within_after = std::nullopt;
  /// Rows that were judged.
  Index rows = 0;
};

struct JudgementOptions {
  /// Rows of all groups together at most, for predicting; for figures that look at pairs of rows.
  Index max_rows = 20'000;
  Index near_rows = 3'000;
  /// The fit aligned within labels and kept their proportions: the verdict is about predicting the
  /// group within labels.
  bool labels_protected = false;
  /// Predictions on further rows, moved by fits of their own: the AUCs of the judgement are means
  /// over these and its own rows, weighted by the numbers of rows.
  std::vector<GroupPredictions> further = {};
  std::uint64_t seed = 0;
};

/// A figure before and after, and what chance makes of it afterwards.
struct Change {
  double before = 0;
  double after = 0;
  double by_chance = 0;
};

/// Distance of a group to the others, before and after, and the band that contains 90 % of random
/// assignments afterwards. Below it, rows of different groups are closer than chance would have it.
struct GroupDistance {
  double before = 0;
  double after = 0;
  double low = 0;
  double high = 0;
};

/// How far rows moved, as the root of the mean square.
struct Move {
  std::string name;
  /// In deviations of features within groups before.
  double distance = 0;
};

/// One word for what an alignment did, the same in the command, Python, R, reports and JSON. The
/// rules are in docs/verdicts.md. "Beyond chance" means above the AUC that 95 % of random
/// assignments of the rows to groups stay below.
enum class Verdict {
  kNothingToAlign,  ///< the group could not be predicted beyond chance, before or after
  kLeftAlone,       ///< no correction had a clear gain, so the rows stay where they are
  kAligned,         ///< the group could be predicted before, and not after
  kReduced,         ///< the AUC fell by more than its error, and is still beyond chance
  kUnchanged,       ///< the AUC is beyond chance, before and after, and differs within its error
  kWorse,           ///< the AUC rose by more than its error, or rose from chance to beyond it
  kBelowChance,     ///< rows of different groups are closer than independent samples would be
  kTooFewRows,      ///< chance alone could hide any difference, or fewer than two groups have three
                    ///< rows
};

/// The word: "nothing to align", "left alone", "aligned", "reduced", "unchanged", "worse",
/// "below chance", "too few rows".
std::string_view name_of(Verdict verdict);

struct Judgement {
  Verdict verdict = Verdict::kUnchanged;
  GroupPrediction prediction_before = {};
  GroupPrediction prediction_after = {};
  /// The same among rows of one label, the mean over labels; unset without labels that two groups
  /// share.
  std::optional<GroupPrediction> within_before = std::nullopt;
  std::optional<GroupPrediction> within_after = std::nullopt;
  /// Whether the verdict is about predicting among rows of one label.
  bool within_labels = false;
  /// One standard error of the difference of the AUCs before and after that the verdict is about.
  double gain_error = 0;
  /// With more than two groups, the one with the highest AUC afterwards.
  std::string worst_group = {};
  /// Whether labels were clusters that had been found in the rows, see Alignment.
  bool clusters_found = false;
  /// Groups around a row, the median; by_chance: what rows that are mixed perfectly have. Unset
  /// below 91 rows.
  std::optional<Change> ilisi = std::nullopt;
  /// Mean energy distance of a group to the others, relative to mean distances within groups;
  /// by_chance: value that 95 % of random assignments stay below.
  Change energy = {};
  /// Value that 5 % of random assignments stay below; and the distances of each group.
  double energy_low = 0;
  std::vector<GroupDistance> energy_of_group = {};
  /// Fraction of nearest rows of the same group that are kept, of each group and on average, and
  /// what rows in random order would keep.
  std::vector<double> neighbors_kept = {};
  double mean_neighbors_kept = 1;
  double neighbors_by_chance = 0;
  /// Labels around a row, the median; of each label the mean. Unset without labels.
  std::optional<Change> clisi = std::nullopt;
  std::vector<Change> clisi_of_label = {};
  /// Labels of the 15 nearest rows of the rows of each label; of many labels, those with the most
  /// rows. Empty without two labels.
  std::vector<LabelNeighborhood> neighborhoods = {};
  /// Share of labeled rows whose nearest row of another group has the same label; by_chance: a
  /// random row of another group instead.
  std::optional<Change> label_transfer = std::nullopt;
  /// Features with their shares in predicting the group, before and after; the one with the largest
  /// share afterwards comes first.
  std::vector<std::pair<std::string, std::pair<double, double>>> given_away_by = {};
  /// Features and groups, those that moved most first.
  std::vector<Move> features_moved = {};
  std::vector<Move> groups_moved = {};
  Index rows = 0;
  /// The AUCs that the verdict is about: among rows of one label if within_labels.
  const GroupPrediction& verdict_before() const {
    return within_labels ? *within_before : prediction_before;
  }
  const GroupPrediction& verdict_after() const {
    return within_labels ? *within_after : prediction_after;
  }
  /// Whether the AUC has fallen by more than the choice of the judged rows explains, in 95 of 100
  /// cases.
  bool clear_gain() const {
    return verdict_before().auc - verdict_after().auc > 1.6449 * gain_error;
  }

  /// The verdict first, then what else is good to know.
  std::vector<std::string> sentences = {};
  /// Scores that are bad or worse than before, each with a remedy.
  std::vector<std::string> warnings = {};
};

/// The predictions of a judgement alone, without importance.
GroupPredictions predict_alignment(const Alignment& alignment, const JudgementOptions& options,
                                   const Workers& workers);

/// Throws InvalidData when shapes do not fit, or unless two groups have at least three rows.
Judgement judge_alignment(const Alignment& alignment, const JudgementOptions& options,
                          const Workers& workers);

}  // namespace conflux

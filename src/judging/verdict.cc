#include "judging/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace conflux {

namespace {

// Fraction of neighbors kept within a group below which a warning says that its structure is lost.
constexpr double kTorn = 0.4;
// Rise of a label's mean cLISI that a warning names; labels with fewer rows vary by as much by
// chance.
constexpr double kMixedMore = 0.1;
constexpr Index kFewestOfALabel = 20;
// Fall of the label transfer that a warning names. With 1,000 rows or more, chance makes less.
constexpr double kTransferLost = 0.05;
// Fall of the median iLISI that a warning names.
constexpr double kMixedLess = 0.05;
// Groups, labels or features that a sentence names; the others are counted.
constexpr std::size_t kMostTold = 3;
// An AUC so many standard deviations (of random assignments) below 0.5 is below chance.
constexpr double kClearlyBelow = 4;
// Upper end of the AUC's 95 % interval above which the sentence says that few rows were judged: the
// rows may still differ by as much.
constexpr double kWideBand = 0.55;
// Importance of a feature for predicting the group, as a fraction of all, from which it is named.
constexpr double kWorthNaming = 0.1;

// True if rows of different groups are mixed more evenly than independent samples of one
// distribution would be, as happens when the maps follow the very rows that are judged.
bool is_below_chance(const GroupPrediction& prediction) {
  return prediction.auc < 0.5 - kClearlyBelow * prediction.deviation;
}

Verdict verdict_of(const Judgement& judgement) {
  const GroupPrediction& before = judgement.verdict_before();
  const GroupPrediction& after = judgement.verdict_after();
  if (is_below_chance(after)) return Verdict::kBelowChance;
  if (!before.beyond_chance()) {
    return after.beyond_chance() ? Verdict::kWorse : Verdict::kNothingToAlign;
  }
  if (!after.beyond_chance()) return Verdict::kAligned;
  const double noise = 1.6449 * judgement.gain_error;
  if (judgement.clear_gain()) return Verdict::kReduced;
  return after.auc > before.auc + noise ? Verdict::kWorse : Verdict::kUnchanged;
}

std::string prediction_phrase(const Judgement& judgement) {
  const GroupPrediction& after = judgement.verdict_after();
  return fmt::format(
      "AUC {:.3f} -> {:.3f}, 95 % interval {:.3f} to {:.3f}; chance: 0.5, and up to {:.3f}",
      judgement.verdict_before().auc, after.auc, after.low(), after.high(), after.by_chance());
}

// Names the group with the highest AUC afterwards; empty with two groups.
std::string worst_sentence(const Judgement& judgement) {
  const std::optional<Index> worst = judgement.verdict_after().worst_group();
  if (!worst) return "";
  const auto& before = judgement.verdict_before().per_group;
  const auto known =
      std::count_if(before.begin(), before.end(), [](double auc) { return !std::isnan(auc); });
  return fmt::format(
      "The AUC is the mean over {} groups, each against the others; the highest is that of {} "
      "({:.3f} -> {:.3f}).",
      known, judgement.worst_group, before[*worst], judgement.verdict_after().per_group[*worst]);
}

// The verdict and the figures it rests on. `within` is empty, or "within labels " or "within
// clusters ".
std::string verdict_sentence(const Judgement& judgement, std::string_view within) {
  const std::string figures = prediction_phrase(judgement);
  switch (judgement.verdict) {
    case Verdict::kNothingToAlign:
      return fmt::format(
          "Nothing to align: {}the group cannot be predicted from these rows, before or after "
          "({}).",
          within, figures);
    case Verdict::kBelowChance:
      return fmt::format(
          "Below chance: {}the group is predicted worse than by chance ({}). Rows of different "
          "groups are closer than independent samples, as training rows are: evaluate new rows.",
          within, figures);
    case Verdict::kAligned:
      if (judgement.verdict_after().high() > kWideBand) {
        return fmt::format(
            "Aligned, as far as {} rows can show: {}the group is no longer predicted better than "
            "by "
            "chance ({}).",
            judgement.rows, within, figures);
      }
      return fmt::format("Aligned: {}the group can no longer be predicted ({}).", within, figures);
    case Verdict::kReduced:
      return fmt::format("Reduced, not removed: {}the group can still be predicted ({}).", within,
                         figures);
    case Verdict::kUnchanged:
      if (judgement.verdict_after().auc < judgement.verdict_before().auc) {
        return fmt::format(
            "Unchanged: {}the group can still be predicted, and the AUC fell by no more than its "
            "error ({}).",
            within, figures);
      }
      return fmt::format("Unchanged: {}the group can be predicted as well as before ({}).", within,
                         figures);
    case Verdict::kWorse:
      if (!judgement.verdict_before().beyond_chance()) {
        return fmt::format(
            "Worse: {}the group could not be predicted before, and can be now ({}). Rows that are "
            "aligned already give this; give the rows as measured.",
            within, figures);
      }
      return fmt::format("Worse: {}the group can be predicted better than before ({}).", within,
                         figures);
    case Verdict::kLeftAlone:
    case Verdict::kTooFewRows:
      break;  // never of rows that were judged
  }
  return figures;
}

void warn_of_prediction(Judgement& judgement) {
  if (judgement.verdict == Verdict::kWorse || judgement.verdict == Verdict::kUnchanged) {
    judgement.warnings.push_back(
        "the alignment does not hide the group: do not use these rows as if they were aligned. "
        "More "
        "rows, or features without many ties, may help.");
  }
}

void warn_of_torn_groups(Judgement& judgement, const Alignment& alignment) {
  std::vector<std::string> torn;
  for (std::size_t m = 0; m < judgement.neighbors_kept.size(); ++m) {
    if (judgement.neighbors_kept[m] >= kTorn) continue;
    torn.push_back(fmt::format(
        "{} ({:.2f})", alignment.group_names.empty() ? std::to_string(m) : alignment.group_names[m],
        judgement.neighbors_kept[m]));
  }
  if (torn.empty()) return;
  const std::size_t count = torn.size();
  torn.resize(std::min(count, kMostTold));
  judgement.warnings.push_back(fmt::format(
      "rows of {} group{} keep few of their nearest neighbors (fraction kept): {}{}. The structure "
      "within the group may be lost; choose a smaller strength, fewer layers, or a gate.",
      count, count == 1 ? "" : "s", fmt::join(torn, ", "), count > kMostTold ? ", ..." : ""));
}

void warn_of_mixed_labels(Judgement& judgement, const Alignment& alignment,
                          const std::vector<Index>& label_of) {
  const char* remedy =
      judgement.within_labels
          ? "the fit aligns within labels already, so choose less strength or fewer layers"
          : "--gate label or --gate clusters keeps them apart, as does less strength";
  std::vector<std::string> mixed;
  for (std::size_t c = 0; c < judgement.clisi_of_label.size(); ++c) {
    const Change& change = judgement.clisi_of_label[c];
    const auto rows = std::count(label_of.begin(), label_of.end(), static_cast<Index>(c));
    if (rows < kFewestOfALabel || change.after <= change.before + kMixedMore) continue;
    mixed.push_back(fmt::format("{} ({:.2f}, before {:.2f})", alignment.label_names[c],
                                change.after, change.before));
  }
  if (!mixed.empty()) {
    judgement.warnings.push_back(fmt::format(
        "labels are mixed more than before (mean number of labels around a row): {}. Rows of "
        "different labels may have been aligned with each other; {}.",
        fmt::join(mixed, ", "), remedy));
  }
  if (judgement.label_transfer &&
      judgement.label_transfer->after < judgement.label_transfer->before - kTransferLost) {
    judgement.warnings.push_back(fmt::format(
        "labels transfer worse between groups than before: the nearest row of another group has "
        "the "
        "same label for {:.1f} % of the rows before, {:.1f} % after; {}.",
        100 * judgement.label_transfer->before, 100 * judgement.label_transfer->after, remedy));
  }
}

void warn_of_separation(Judgement& judgement) {
  if (!judgement.ilisi || judgement.ilisi->after >= judgement.ilisi->before - kMixedLess) return;
  if (judgement.verdict == Verdict::kAligned) return;
  judgement.warnings.push_back(
      fmt::format("groups mix less around a row than before (iLISI {:.2f} -> {:.2f}); compare with "
                  "the rows as measured.",
                  judgement.ilisi->before, judgement.ilisi->after));
}

void warn_of_fitted_rows(Judgement& judgement) {
  const GroupPrediction& after = judgement.verdict_after();
  if (!is_below_chance(after)) return;
  judgement.warnings.push_back(fmt::format(
      "the group is predicted worse than by chance (AUC {:.3f}): these look like training rows, or "
      "the maps follow single rows; evaluate rows that the fit has not seen.",
      after.auc));
}

// The features that predict the group afterwards, with their importance.
std::string left_in(const Judgement& judgement) {
  std::vector<std::string> names;
  for (const auto& [name, shares] : judgement.given_away_by) {
    if (names.size() == kMostTold || shares.second < kWorthNaming) break;
    names.push_back(fmt::format("{} ({:.0f} %)", name, 100 * shares.second));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string moved_most(const Judgement& judgement) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < std::min(kMostTold, judgement.features_moved.size()); ++j) {
    const Move& move = judgement.features_moved[j];
    names.push_back(fmt::format("{} by {:.2g}", move.name, move.distance));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// True if the proportions of labels differ between groups at the 5 % level: a chi-square test of
// the table of counts, by the normal approximation of Wilson and Hilferty.
bool shares_differ(const Alignment& alignment) {
  Index groups = 0, labels = 0;
  for (std::size_t i = 0; i < alignment.label_of.size(); ++i) {
    groups = std::max(groups, alignment.group_of[i] + 1);
    labels = std::max(labels, alignment.label_of[i] + 1);
  }
  Matrix counts = Matrix::Zero(groups, labels);
  for (std::size_t i = 0; i < alignment.label_of.size(); ++i) {
    if (alignment.label_of[i] >= 0) counts(alignment.group_of[i], alignment.label_of[i]) += 1;
  }
  const Vector of_groups = counts.rowwise().sum();
  const Eigen::RowVectorXd of_labels = counts.colwise().sum();
  const auto present = [](const auto& sums) {
    return static_cast<double>((sums.array() > 0).count());
  };
  const double freedom = (present(of_groups) - 1) * (present(of_labels) - 1);
  if (freedom < 1) return false;
  double square = 0;
  for (Index m = 0; m < groups; ++m) {
    for (Index c = 0; c < labels; ++c) {
      const double expected = of_groups(m) * of_labels(c) / of_groups.sum();
      if (expected > 0) square += std::pow(counts(m, c) - expected, 2) / expected;
    }
  }
  const double unit = 2 / (9 * freedom);
  return (std::cbrt(square / freedom) - (1 - unit)) / std::sqrt(unit) > 1.6449;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNothingToAlign:
      return "nothing to align";
    case Verdict::kLeftAlone:
      return "left alone";
    case Verdict::kAligned:
      return "aligned";
    case Verdict::kReduced:
      return "reduced";
    case Verdict::kUnchanged:
      return "unchanged";
    case Verdict::kWorse:
      return "worse";
    case Verdict::kBelowChance:
      return "below chance";
    case Verdict::kTooFewRows:
      return "too few rows";
  }
  return "?";
}

void pronounce(Judgement& judgement, const Alignment& alignment,
               const std::vector<Index>& label_of) {
  judgement.verdict = verdict_of(judgement);
  const std::string_view what = judgement.clusters_found ? "clusters" : "labels";
  judgement.sentences = {verdict_sentence(
      judgement, judgement.within_labels ? fmt::format("within {} ", what) : std::string())};
  if (const auto worst = judgement.verdict_after().worst_group()) {
    judgement.worst_group =
        alignment.group_names.empty() ? std::to_string(*worst) : alignment.group_names[*worst];
  }
  if (const std::string worst = worst_sentence(judgement); !worst.empty()) {
    judgement.sentences.push_back(worst);
  }
  if (judgement.within_labels && judgement.prediction_after.beyond_chance()) {
    const std::string why =
        judgement.clusters_found || shares_differ(alignment)
            ? fmt::format("; the groups hold {} in different proportions, which are kept", what)
            : "";
    judgement.sentences.push_back(fmt::format(
        "Over all rows, across {}, the group can be predicted (AUC {:.3f} -> {:.3f}){}.", what,
        judgement.prediction_before.auc, judgement.prediction_after.auc, why));
  }
  const bool left = judgement.verdict_after().beyond_chance();
  if (const std::string names = left ? left_in(judgement) : ""; !names.empty()) {
    judgement.sentences.push_back(
        fmt::format("Most important for predicting the group: {}.", names));
  }
  judgement.sentences.push_back(
      fmt::format("Rows keep {:.0f} % of their neighbors within their group (chance: {:.0f} %).",
                  100 * judgement.mean_neighbors_kept, 100 * judgement.neighbors_by_chance));
  judgement.sentences.push_back(
      fmt::format("Moved most: {} standard deviations (within groups).", moved_most(judgement)));
  warn_of_prediction(judgement);
  warn_of_torn_groups(judgement, alignment);
  if (!alignment.labels_found) warn_of_mixed_labels(judgement, alignment, label_of);
  warn_of_separation(judgement);
  warn_of_fitted_rows(judgement);
}

}  // namespace conflux

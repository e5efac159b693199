#include "judging/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace conflux {

namespace {

// Below, most rows have lost most of their neighbors: shapes within groups are no longer the same.
constexpr double kTorn = 0.4;
// Mean labels around a row of some label. With fewer rows noise reaches as far.
constexpr double kMixedMore = 0.1;
constexpr Index kFewestOfALabel = 20;
// Chance alone changes the share of rows whose label is found by less, for 1,000 rows or more.
constexpr double kTransferLost = 0.05;
constexpr double kMixedLess = 0.05;
constexpr std::size_t kMostTold = 3;
// In deviations of the AUC by chance.
constexpr double kClearlyBelow = 4;
// An AUC that new rows may show. Where it is larger, a few hundred rows have judged, and a
// difference that more rows would show can hide in the interval.
constexpr double kWideBand = 0.55;
// A share in how the group is predicted.
constexpr double kWorthNaming = 0.1;

Verdict verdict_of(const Judgement& judgement) {
  const GroupPrediction& before = judgement.verdict_before();
  const GroupPrediction& after = judgement.verdict_after();
  if (!before.beyond_chance()) {
    return after.beyond_chance() ? Verdict::kAlreadyAligned : Verdict::kNothingToDo;
  }
  if (!after.beyond_chance()) return Verdict::kAligned;
  const double noise = 1.6449 * judgement.gain_error;
  if (judgement.clear_gain()) return Verdict::kBetter;
  return after.auc > before.auc + noise ? Verdict::kWorse : Verdict::kUnchanged;
}

// Each group's rows follow the others' too closely: chance would mix them less evenly.
bool is_below_chance(const GroupPrediction& prediction) {
  return prediction.auc < 0.5 - kClearlyBelow * prediction.deviation;
}

// An interval of the AUC that holds what new rows would show in 95 of 100 cases.
std::string interval_of(const GroupPrediction& prediction) {
  return fmt::format("95 % interval {:.3f} to {:.3f}", prediction.low(), prediction.high());
}

std::string prediction_phrase(const Judgement& judgement) {
  const GroupPrediction& after = judgement.verdict_after();
  return fmt::format("AUC {:.3f} -> {:.3f}; 0.5 is chance, up to {:.3f} cannot be told from it; {}",
                     judgement.verdict_before().auc, after.auc, after.by_chance(),
                     interval_of(after));
}

// The mean of several groups hides the worst of them.
std::string worst_sentence(const Judgement& judgement) {
  const std::optional<Index> worst = judgement.verdict_after().worst_group();
  if (!worst) return "";
  const auto& before = judgement.verdict_before().per_group;
  const auto known =
      std::count_if(before.begin(), before.end(), [](double auc) { return !std::isnan(auc); });
  return fmt::format(
      "The AUC is the mean over {} groups, each against the rest; the worst afterwards is {} "
      "({:.3f} -> {:.3f}).",
      known, judgement.worst_group, before[*worst], judgement.verdict_after().per_group[*worst]);
}

// Says whether the group of a row can be predicted; with protected labels, among the rows of one
// label only.
std::string verdict_sentence(const Judgement& judgement, std::string_view what) {
  std::string prediction = prediction_phrase(judgement);
  const std::string row =
      judgement.within_labels ? fmt::format("a row among those of its {}", what) : "a row";
  switch (judgement.verdict) {
    case Verdict::kNothingToDo:
      return fmt::format(
          "There was nothing to align that these rows show: the group of {} could not be predicted "
          "before, nor can it be now ({}).",
          row, prediction);
    case Verdict::kAlreadyAligned:
      return fmt::format(
          "Worse: the groups could not be told apart before, and can be now ({}). The rows look as "
          "if they had been aligned already; give the rows as they were measured.",
          prediction);
    case Verdict::kAligned:
      if (is_below_chance(judgement.verdict_after())) {
        return fmt::format(
            "Not known: the group of {} is predicted worse than by chance ({}), as happens with "
            "rows "
            "that the fit has seen. New rows will tell.",
            row, prediction);
      }
      if (judgement.verdict_after().high() > kWideBand) {
        return fmt::format(
            "Aligned as far as so few rows can tell: the group of {} is no longer predicted better "
            "than by chance ({}).",
            row, prediction);
      }
      return fmt::format("Aligned: the group of {} can no longer be predicted ({}).", row,
                         prediction);
    case Verdict::kBetter:
      return fmt::format("Better, not gone: the group of {} can still be predicted ({}).", row,
                         prediction);
    case Verdict::kUnchanged:
      if (judgement.verdict_after().auc < judgement.verdict_before().auc) {
        return fmt::format(
            "No clear gain: the group of {} can still be predicted, and chance may be all that has "
            "changed ({}).",
            row, prediction);
      }
      return fmt::format("No better: the group of {} can be predicted as well as before ({}).", row,
                         prediction);
    case Verdict::kWorse:
      return fmt::format("Worse: the group of {} can be predicted better than before ({}).", row,
                         prediction);
  }
  return prediction;
}

void warn_of_prediction(Judgement& judgement) {
  if (judgement.verdict == Verdict::kWorse || judgement.verdict == Verdict::kUnchanged) {
    judgement.warnings.push_back(
        "the alignment does not hide the group; give the fit more rows, or features without values "
        "that many rows share, and do not use these rows as if they were aligned.");
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
      "rows of {} group{} have lost most of their neighbors: {}{}. Shapes within the group may be "
      "gone; choose a smaller strength, fewer layers, or a gate.",
      count, count == 1 ? "" : "s", fmt::join(torn, ", "), count > kMostTold ? ", ..." : ""));
}

void warn_of_mixed_labels(Judgement& judgement, const Alignment& alignment,
                          const std::vector<Index>& label_of) {
  const char* remedy =
      judgement.within_labels
          ? "gates keep labels apart already, so choose less strength or fewer layers"
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
        "labels are mixed more than before, by the mean number of labels around a row: {}. Rows of "
        "different labels may have been made alike; {}.",
        fmt::join(mixed, ", "), remedy));
  }
  if (judgement.label_transfer &&
      judgement.label_transfer->after < judgement.label_transfer->before - kTransferLost) {
    judgement.warnings.push_back(fmt::format(
        "labels of other groups fit fewer rows than before ({:.1f} % -> {:.1f} %): rows have been "
        "moved to rows of another label; {}.",
        100 * judgement.label_transfer->before, 100 * judgement.label_transfer->after, remedy));
  }
}

void warn_of_separation(Judgement& judgement) {
  if (!judgement.ilisi || judgement.ilisi->after >= judgement.ilisi->before - kMixedLess) return;
  if (judgement.verdict == Verdict::kAligned) return;
  judgement.warnings.push_back(
      fmt::format("groups mix less around a row than before (iLISI {:.2f} -> {:.2f}); compare with "
                  "the rows as they were.",
                  judgement.ilisi->before, judgement.ilisi->after));
}

void warn_of_fitted_rows(Judgement& judgement) {
  const GroupPrediction& after = judgement.verdict_after();
  if (!is_below_chance(after)) return;
  judgement.warnings.push_back(fmt::format(
      "the group is predicted worse than by chance (AUC {:.3f}): these rows look as if the fit had "
      "seen them, or followed single rows; judge rows that it has not seen.",
      after.auc));
}

// Where what is left can be seen.
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

// Whether groups hold labels in different shares beyond chance: a chi-square test of the table of
// counts, by the normal law of Wilson and Hilferty.
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
    case Verdict::kNothingToDo:
      return "nothing to align";
    case Verdict::kAlreadyAligned:
      return "already aligned";
    case Verdict::kAligned:
      return "aligned";
    case Verdict::kBetter:
      return "better";
    case Verdict::kUnchanged:
      return "unchanged";
    case Verdict::kWorse:
      return "worse";
  }
  return "?";
}

void pronounce(Judgement& judgement, const Alignment& alignment,
               const std::vector<Index>& label_of) {
  judgement.verdict = verdict_of(judgement);
  const std::string_view what = judgement.clusters_found ? "cluster" : "label";
  judgement.sentences = {verdict_sentence(judgement, what)};
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
            ? fmt::format(": the groups hold {}s in different shares, which stay as they are", what)
            : "";
    judgement.sentences.push_back(
        fmt::format("Among rows of all {}s together it can be predicted (AUC {:.3f} -> {:.3f}){}.",
                    what, judgement.prediction_before.auc, judgement.prediction_after.auc, why));
  }
  const bool left = judgement.verdict_after().beyond_chance();
  if (const std::string names = left ? left_in(judgement) : ""; !names.empty()) {
    judgement.sentences.push_back(fmt::format("Given away most by: {}.", names));
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

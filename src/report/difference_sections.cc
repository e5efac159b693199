// Is there a difference, and where?

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/facts.h"
#include "report/page.h"

namespace conflux {

namespace {

constexpr std::size_t kGroupsInAPicture = 20;
constexpr std::size_t kFeaturesInAPicture = 20;
constexpr std::size_t kFeaturesInTheTable = 100;
constexpr const char* kKey =
    "Filled: before. Hollow: after. Gray band: what groups assigned at random would have.";

std::pair<double, double> chance_band(const GroupPrediction& prediction) {
  return {1 - prediction.by_chance(), prediction.by_chance()};
}

std::vector<Dumbbell> predictions_to_draw(const Report& report) {
  const Judgement& judgement = *report.evaluation.judgement;
  std::vector<Dumbbell> out = {{.name = "all groups",
                                .before = judgement.prediction_before.auc,
                                .after = judgement.prediction_after.auc,
                                .band = chance_band(judgement.prediction_after)}};
  if (judgement.within_after) {
    out.push_back({.name = judgement.clusters_found ? "rows of one cluster" : "rows of one label",
                   .before = judgement.within_before->auc,
                   .after = judgement.within_after->auc,
                   .band = chance_band(*judgement.within_after)});
  }
  if (report.group_names.size() < 3) return out;
  std::vector<Dumbbell> groups;
  for (std::size_t m = 0; m < report.group_names.size(); ++m) {
    const double before = judgement.prediction_before.per_group[m];
    const double after = judgement.prediction_after.per_group[m];
    if (before == before && after == after) {
      groups.push_back({.name = report.group_names[m], .before = before, .after = after});
    }
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Dumbbell& a, const Dumbbell& b) { return a.after > b.after; });
  groups.resize(std::min(groups.size(), kGroupsInAPicture));
  out.insert(out.end(), groups.begin(), groups.end());
  return out;
}

// Scores after the alignment; those before are in the sentences of check().
std::string prediction_sentence(const Report& report) {
  const GroupPrediction& after = report.evaluation.judgement->prediction_after;
  std::string out = fmt::format("After the alignment it reaches {:.3f}", after.auc);
  if (after.auc < 1 - after.by_chance()) {
    out += ", below chance: rows are closer to rows of other groups than chance would have it";
    out += report.fitted_rows ? ", as fitted rows do" : "";
  }
  const FitSummary& summary = report.record.summary;
  if (report.fitted_rows && summary.unseen_rows > 0) {
    out += fmt::format("; of {} rows that no map was fitted on, {:.3f}{}", summary.unseen_rows,
                       summary.auc_after, among_whom(report));
    // Nothing is better for not having been fitted: fewer rows teach less.
    if (summary.auc_after < after.auc - 0.01 && !summary.within_labels) {
      out += " (fewer rows are harder to predict)";
    }
  }
  return out + ".";
}

std::string differing_features(const Report& report) {
  Index before = 0, after = 0;
  for (const FeatureChange& each : report.features) {
    before += each.before.differs ? 1 : 0;
    after += each.after.differs ? 1 : 0;
  }
  double most_before = 0, most_after = 0;
  for (const FeatureChange& each : report.features) {
    most_before = std::max(most_before, each.before.shift);
    most_after = std::max(most_after, each.after.shift);
  }
  return fmt::format(
      "{1} of {0} features differ between groups before, {2} after (false discovery rate at most 5 "
      "%, differences of shape included); the largest shift goes from {3:.2f} to {4:.2f} standard "
      "deviations.",
      report.features.size(), before, after, most_before, most_after);
}

std::string feature_table(const Report& report) {
  std::vector<std::vector<std::string>> rows = {{"feature", "shift before", "after", "chance",
                                                 "spread before", "after", "importance before",
                                                 "after"}};
  for (const Index j : report.worst_features) {
    if (rows.size() > kFeaturesInTheTable) break;
    const FeatureChange& each = report.features[j];
    rows.push_back({each.name, fmt::format("{:.2f}", each.before.shift),
                    fmt::format("{:.2f}", each.after.shift),
                    fmt::format("{:.2f}", each.before.shift_by_chance),
                    fmt::format("{:.2f}", each.before.spread_ratio),
                    fmt::format("{:.2f}", each.after.spread_ratio),
                    fmt::format("{:.0f} %", 100 * each.before.importance),
                    fmt::format("{:.0f} %", 100 * each.after.importance)});
  }
  const std::size_t left_out = report.features.size() - (rows.size() - 1);
  std::string out = fmt::format("<details><summary>Figures of {} features</summary>{}",
                                rows.size() - 1, page_table(rows, "figures of features"));
  if (left_out > 0) out += fmt::format("<p class=\"note\">{} more in --json.</p>", left_out);
  return out + "</details>\n";
}

std::string feature_picture(const Report& report) {
  std::vector<Dumbbell> rows;
  double most = 0;
  for (const Index j : report.worst_features) {
    if (rows.size() == kFeaturesInAPicture) break;
    const FeatureChange& each = report.features[j];
    rows.push_back({.name = each.name,
                    .before = each.before.shift,
                    .after = each.after.shift,
                    .band = std::pair{0.0, each.before.shift_by_chance},
                    .warned = each.after.differs && each.after.shift > each.before.shift});
    most = std::max({most, each.before.shift, each.after.shift, each.before.shift_by_chance});
  }
  return draw_dumbbells(
      rows, 0, 1.05 * most,
      {"Shift of each feature between groups, before and after",
       "One line per feature, the largest first: the largest distance between two groups.",
       "shift, in standard deviations within groups"});
}

std::string pairs_picture(const Report& report, const Matrix& values, const char* when) {
  const double most = std::max(report.pairs_before.maxCoeff(), report.pairs_after.maxCoeff());
  return figure(draw_heat(values, report.group_names, most, {}, false,
                          {fmt::format("Distances between groups, {}", when),
                           "Energy distance of every two groups, in mean distances within groups; "
                           "before and after have one scale."}),
                fmt::format("Distances between groups, {}; the largest is {:.2g}.", when,
                            std::max(0.0, values.maxCoeff())));
}

// The check before the fit, so that new rows can be compared with the training rows.
std::string found_before_the_fit(const FitRecord& record) {
  if (!record.check || record.check->sentences.empty()) return "";
  return fmt::format("The check on {} rows before the fit: {}", record.check->rows,
                     record.check->sentences.front());
}

}  // namespace

std::string difference_section(const Report& report) {
  std::vector<std::string> sentences;
  if (report.check) sentences.push_back(report.check->sentences.front());
  if (!report.fitted_rows) sentences.push_back(found_before_the_fit(report.record));
  if (!report.evaluation.judgement) {
    sentences.push_back("Nothing could be compared.");
    return page_section(1, "Is there a difference?", sentences,
                        empty_state("It takes two groups of at least three rows each; add rows, or "
                                    "name the column that tells the groups."));
  }
  sentences.push_back(prediction_sentence(report));
  const std::vector<Dumbbell> rows = predictions_to_draw(report);
  double low = 0.4;
  for (const Dumbbell& row : rows) low = std::min({low, row.before, row.after});
  const std::string picture = draw_dumbbells(
      rows, std::max(0.0, low), 1,
      {"Can the group be predicted?",
       "The area under the curve before and after, on a line from chance to certainty.",
       "AUC: 0.5 is chance, 1 is certainty"});
  const std::size_t groups = report.group_names.size();
  const std::string note =
      groups > kGroupsInAPicture
          ? fmt::format("{} Each group against the others: {} of {}, the easiest to predict first.",
                        kKey, kGroupsInAPicture, groups)
          : kKey;
  return page_section(1, "Is there a difference?", sentences,
                      side_by_side({figure(picture, note)}));
}

std::string features_section(const Report& report) {
  std::vector<std::string> figures = {
      figure(feature_picture(report),
             report.features.size() > kFeaturesInAPicture
                 ? fmt::format("{} The {} worst of {} features. Ranks count, so that tails do not.",
                               kKey, kFeaturesInAPicture, report.features.size())
                 : fmt::format("{} Ranks count, so that tails do not.", kKey))};
  std::string shown = side_by_side(figures);
  if (report.pairs_before.size() > 0) {
    shown += side_by_side({pairs_picture(report, report.pairs_before, "before"),
                           pairs_picture(report, report.pairs_after, "after")});
  }
  return page_section(2, "Where?", {differing_features(report)}, shown + feature_table(report));
}

}  // namespace conflux

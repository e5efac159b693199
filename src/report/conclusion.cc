// The conclusion of a report: a verdict, four figures, and what to do next.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/shell_word.h"
#include "report/facts.h"

namespace conflux {

namespace {

// If random assignments reach this AUC, the rows are too few to show most differences.
constexpr double kWideBand = 0.65;
// Fraction of rows near rows of another group, below which the rows cannot show whether the groups
// are shifted or hold different classes.
constexpr double kHardlyAnyOverlap = 0.05;
// Fraction of rows outside the range of the fit that a caution names.
constexpr double kManyFarRows = 0.05;
constexpr std::size_t kMostFusedNamed = 3;

// True if rows of different groups are closer to each other than chance would have it.
bool is_below_chance_level(const Judgement& judgement) {
  return judgement.energy.after < judgement.energy_low ||
         judgement.verdict == Verdict::kBelowChance;
}

bool alike_before(const Report& report, const Judgement& judgement) {
  return !judgement.prediction_before.beyond_chance() && (!report.check || !report.check->differ);
}

// True if the fit was scored on rows that no map was fitted on.
bool judged_unseen(const Report& report) {
  return report.fitted_rows && !report.record.summary.verdict.empty() &&
         report.record.summary.unseen_rows > 0;
}

// The verdict of the fit on held-out rows if these are its training rows, otherwise that of these
// rows.
std::string judged_as(const Report& report) {
  return judged_unseen(report) ? report.record.summary.verdict
                               : std::string(name_of(report.evaluation.judgement->verdict));
}

bool still_predictable(const Report& report) {
  return judged_as(report) == name_of(Verdict::kReduced);
}

std::string fused_names(const Neighborhoods& near) {
  std::vector<std::string> names;
  for (const auto& [cluster, with] : near.fused) {
    if (names.size() == kMostFusedNamed) break;
    names.push_back(fmt::format("{} among {} ({:.0f} % -> {:.0f} %)", near.clusters[with],
                                near.clusters[cluster], 100 * near.before(cluster, with),
                                100 * near.after(cluster, with)));
  }
  const std::size_t more = near.fused.size() - names.size();
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

// Clusters that were found without labels may be arbitrary.
bool were_fused(const Report& report) {
  return report.neighborhoods && report.neighborhoods->labels &&
         !report.neighborhoods->fused.empty();
}

// True if the groups hardly overlap: only labels can tell a shift from a difference in composition.
bool needs_labels(const Report& report) {
  return report.check && !report.check->labels && report.check->overlap < kHardlyAnyOverlap;
}

// Reasons to look twice although the groups came together.
std::vector<std::string> cautions_of(const Report& report) {
  std::vector<std::string> out;
  const Judgement& judgement = *report.evaluation.judgement;
  if (were_fused(report)) {
    out.push_back("labels were mixed (fraction of near rows): " +
                  fused_names(*report.neighborhoods));
  }
  for (const std::string& warning : judgement.warnings) {
    // Covered by the sentence on fused labels, or about training rows, which always score so.
    if (warning.starts_with("labels ") && were_fused(report)) continue;
    if (judged_unseen(report) && warning.starts_with("the group is predicted worse")) continue;
    out.push_back(warning);
  }
  if (needs_labels(report)) {
    out.push_back(fmt::format(
        "before, {:.0f} % of the rows lay near rows of another group: the rows alone cannot tell a "
        "shift from a difference in composition; labels, or controls that are the same in every "
        "group, would settle it",
        100 * report.check->overlap));
  }
  if (report.fitted_rows && !judged_unseen(report)) {
    out.push_back(
        "these are training rows, and none were held out: scores are optimistic, new rows will "
        "score "
        "worse");
  }
  if (report.reach && report.reach->far > kManyFarRows) {
    out.push_back(
        fmt::format("{:.0f} % of the rows lie outside the training range of a quarter of the maps",
                    100 * report.reach->far));
  } else if (!report.fitted_rows && report.reach && report.reach->unlike_fitted()) {
    out.push_back(fmt::format(
        "{:.0f} % of the rows lie outside the training range of more maps than 99 % of the "
        "training rows",
        100 * *report.reach->beyond_fitted));
  }
  return out;
}

Verdict verdict_of_alike(const Judgement& judgement) {
  if (is_below_chance_level(judgement)) return Verdict::kBelowChance;
  if (judgement.prediction_after.beyond_chance()) return Verdict::kWorse;
  return judgement.prediction_before.by_chance() > kWideBand ? Verdict::kTooFewRows
                                                             : Verdict::kNothingToAlign;
}

Index features_that_differ(const Report& report, FeatureDifference FeatureChange::*when) {
  return std::count_if(report.features.begin(), report.features.end(),
                       [&](const FeatureChange& each) { return (each.*when).differs; });
}

// True if the held-out rows of the fit came closer, but these rows, of which there are more, did
// not.
bool no_gain_here(const Report& report) {
  const Verdict here = report.evaluation.judgement->verdict;
  return still_predictable(report) && (here == Verdict::kUnchanged || here == Verdict::kWorse);
}

Verdict verdict_named(const std::string& name) {
  for (const Verdict each : {Verdict::kLeftAlone, Verdict::kAligned, Verdict::kReduced,
                             Verdict::kUnchanged, Verdict::kWorse, Verdict::kBelowChance}) {
    if (name_of(each) == name) return each;
  }
  return Verdict::kNothingToAlign;
}

Verdict verdict_from(const Report& report, const std::string& judged) {
  if (no_gain_here(report)) return report.evaluation.judgement->verdict;
  if (judged != name_of(Verdict::kNothingToAlign)) return verdict_named(judged);
  // The group could not be predicted, but some features differed by themselves.
  const bool fewer = features_that_differ(report, &FeatureChange::after) <
                     features_that_differ(report, &FeatureChange::before);
  if (fewer) return Verdict::kAligned;
  return report.check && report.check->differ ? Verdict::kUnchanged : Verdict::kNothingToAlign;
}

std::string opening(const Report& report) {
  switch (report.verdict) {
    case Verdict::kNothingToAlign:
      return "The groups could not be told apart before; use the rows as they are.";
    case Verdict::kLeftAlone:
      return "No correction had a clear gain, so the rows were left as they are.";
    case Verdict::kAligned:
      return "The group could be predicted from a row before, and no longer can be.";
    case Verdict::kReduced:
      return "The groups have come closer, but the group can still be predicted better than by "
             "chance.";
    case Verdict::kBelowChance:
      return alike_before(report, *report.evaluation.judgement)
                 ? "The groups did not differ before; the model made their rows follow each other "
                   "more closely than chance would. Leave the rows as they were."
                 : "The rows of different groups lie closer to each other than chance would have "
                   "it, "
                   "as training rows do. Evaluate new rows.";
    case Verdict::kUnchanged:
      return "The group can be predicted nearly as well as before; do not use these rows as if "
             "they "
             "were aligned.";
    case Verdict::kWorse:
      return "The group can be predicted better than before; do not use these rows as if they were "
             "aligned.";
    case Verdict::kTooFewRows:
      return report.evaluation.judgement
                 ? "There are too few rows to see a difference, before or after."
                 : "Scores need two groups of at least three rows each.";
  }
  return "";
}

// Says whether the scores are of training rows, and what held-out rows scored.
void add_whose_rows(Report& report) {
  if (!report.fitted_rows || report.record.layers.empty()) return;
  const FitSummary& summary = report.record.summary;
  if (!judged_unseen(report) && !report.cautions.empty()) return;
  const std::string figures =
      fmt::format("AUC {:.3f} -> {:.3f}{}, chance up to {:.3f}", summary.auc_before,
                  summary.auc_after, among_whom(report), summary.auc_by_chance);
  if (judged_unseen(report) && no_gain_here(report)) {
    report.sentences.push_back(fmt::format(
        "On {} held-out rows the group became harder to predict ({}), but these rows do "
        "not show it.",
        summary.unseen_rows, figures));
    return;
  }
  report.sentences.push_back(
      judged_unseen(report)
          ? fmt::format("These are training rows, whose scores are optimistic; the verdict is that "
                        "of {} held-out rows ({}).",
                        summary.unseen_rows, figures)
          : "These are training rows, whose scores are optimistic: new rows will score worse.");
}

// Unbiased distances may be slightly negative; those are shown as 0.
std::string distance_text(double distance) {
  const std::string out = fmt::format("{:.2g}", distance);
  return distance < 5e-4 ? "0" : distance > 0.1 ? fmt::format("{:.3g}", distance) : out;
}

void add_headlines(Report& report) {
  if (!report.evaluation.judgement) return;
  const Judgement& judgement = *report.evaluation.judgement;
  const bool within = judgement.within_labels;
  const GroupPrediction& before = within ? *judgement.within_before : judgement.prediction_before;
  const GroupPrediction& after = within ? *judgement.within_after : judgement.prediction_after;
  const FitSummary& summary = report.record.summary;
  const bool unseen = judged_unseen(report);
  report.headlines.push_back(
      {!within                    ? "predicting the group (AUC)"
       : judgement.clusters_found ? "predicting the group within clusters (AUC)"
                                  : "predicting the group within labels (AUC)",
       unseen ? fmt::format("{:.2f} → {:.2f}", summary.auc_before, summary.auc_after)
              : fmt::format("{:.2f} → {:.2f}", before.auc, after.auc),
       fmt::format("chance: 0.5, and up to {:.3f}{}",
                   unseen ? summary.auc_by_chance : after.by_chance(),
                   unseen ? "; held-out rows" : "")});
  report.headlines.push_back(
      {"distance of a group from the others",
       distance_text(judgement.energy.before) + " → " + distance_text(judgement.energy.after),
       fmt::format("chance: {:.1g} to {:.1g}", judgement.energy_low, judgement.energy.by_chance)});
  report.headlines.push_back(
      {"neighbors kept within the group",
       fmt::format("{:.0f} %", 100 * judgement.mean_neighbors_kept),
       fmt::format("chance: {:.0f} %", 100 * judgement.neighbors_by_chance)});
  if (judgement.label_transfer) {
    report.headlines.push_back(
        {"nearest row of another group has the same label",
         fmt::format("{:.0f} % → {:.0f} %", 100 * judgement.label_transfer->before,
                     100 * judgement.label_transfer->after),
         fmt::format("chance: {:.0f} %", 100 * judgement.label_transfer->by_chance)});
  } else if (!judgement.features_moved.empty()) {
    const Move& most = judgement.features_moved.front();
    report.headlines.push_back({most.distance > 0 ? "moved most: " + most.name : "moved most",
                                fmt::format("{:.2g}", most.distance),
                                "standard deviations within groups"});
  }
}

// Commands of the advice, which all name the same files.
struct Files {
  std::vector<std::string> data;
  std::string model;
  std::string group;
  std::string label;

  std::string fit(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"conflux", "fit"};
    words.insert(words.end(), data.begin(), data.end());
    if (!group.empty()) words.insert(words.end(), {"--group", group});
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"-o", "new.conflux"});
    return shell_command(words);
  }
  std::string of_model(const char* verb, const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"conflux", verb, model};
    words.insert(words.end(), data.begin(), data.end());
    words.insert(words.end(), more.begin(), more.end());
    return shell_command(words);
  }
};

Files files_of(const Report& report, const ReportOptions& options) {
  return {.data = options.data_paths.empty() ? std::vector<std::string>{"table.csv"}
                                             : options.data_paths,
          .model = options.model_path.empty() ? "model.conflux" : options.model_path,
          .group = report.group_column,
          .label = report.label_column};
}

void advise_about_fusing(Report& report, const Model& model, const Files& files) {
  if (!were_fused(report)) return;
  if (model.record.options.gate == Gating::kLabel) {
    report.advice.push_back(
        {"Rows are aligned within labels already; fewer layers move rows less far.",
         files.fit({"--label", files.label, "--layers", "5"})});
    return;
  }
  report.advice.push_back({"Align within labels, so that rows of different labels stay apart.",
                           files.fit({"--label", files.label.empty() ? "LABEL" : files.label})});
}

void advise_labels(Report& report, const Files& files) {
  if (!needs_labels(report)) return;
  report.advice.push_back(
      {"If a column has the class of each row, align within it.", files.fit({"--label", "LABEL"})});
}

// Within labels there are fewer rows to learn from, and fewer types of layers are tried.
void advise_whole_groups(Report& report, const Model& model, const Files& files) {
  if (model.record.options.gate != Gating::kLabel || files.label.empty()) return;
  report.advice.push_back({"Align whole groups instead, and check whether labels stay apart.",
                           files.fit({"--label", files.label, "--gate", "none"})});
}

void advise_to_check(Report& report, const Files& files) {
  report.advice.push_back({"Check how the groups differ, and what could be aligned.",
                           shell_command({"conflux", "check", files.data.front(), "--group",
                                          files.group.empty() ? "GROUP" : files.group})});
}

// True if a caution says that the rows are not aligned well enough to be used as such.
bool is_warned_off(const Report& report) {
  return std::any_of(report.cautions.begin(), report.cautions.end(), [](const std::string& each) {
    return each.find("do not use these rows") != each.npos;
  });
}

void add_advice(Report& report, const Model& model, const ReportOptions& options) {
  const Files files = files_of(report, options);
  switch (report.verdict) {
    case Verdict::kNothingToAlign:
    case Verdict::kLeftAlone:
      report.advice.push_back({"Use the rows as they are; nothing is gained by moving them."});
      break;
    case Verdict::kBelowChance:
      if (!alike_before(report, *report.evaluation.judgement)) {
        advise_about_fusing(report, model, files);
        advise_labels(report, files);
        break;
      }
      report.advice.push_back(
          {"Use the rows as they are, or let the fit check them first: without --method it leaves "
           "groups alone that do not differ.",
           files.fit({})});
      break;
    case Verdict::kUnchanged:
    case Verdict::kWorse:
      advise_whole_groups(report, model, files);
      advise_to_check(report, files);
      break;
    case Verdict::kTooFewRows:
      report.advice.push_back({"Give more rows of every group.",
                               shell_command({"conflux", "report", files.model, "more_rows.csv"})});
      break;
    case Verdict::kAligned:
    case Verdict::kReduced:
      advise_about_fusing(report, model, files);
      advise_labels(report, files);
      if (is_warned_off(report)) advise_to_check(report, files);
      if (is_warned_off(report) || were_fused(report)) break;
      report.advice.push_back(
          {"Write the aligned rows.", files.of_model("transform", {"-o", "aligned.csv"})});
      break;
  }
  if (report.fitted_rows && report.verdict != Verdict::kNothingToAlign) {
    report.advice.push_back(
        {"Evaluate rows that the fit has not seen.",
         shell_command({"conflux", "report", files.model, "new_rows.csv", "-o", "report.html"})});
  }
}

}  // namespace

const char* among_whom(const Report& report) {
  if (!report.record.summary.within_labels) return "";
  return report.evaluation.judgement->clusters_found ? " within clusters" : " within labels";
}

void conclude(Report& report, const Model& model, const ReportOptions& options) {
  if (report.evaluation.judgement) {
    const Judgement& judgement = *report.evaluation.judgement;
    report.verdict = alike_before(report, judgement) ? verdict_of_alike(judgement)
                                                     : verdict_from(report, judged_as(report));
    const bool came_closer =
        report.verdict == Verdict::kAligned || report.verdict == Verdict::kReduced ||
        (report.verdict == Verdict::kBelowChance && !alike_before(report, judgement));
    if (came_closer) {
      report.cautions = cautions_of(report);
    }
  }
  report.sentences = {opening(report)};
  for (std::string& caution : report.cautions) {
    if (caution[0] >= 'a' && caution[0] <= 'z') {
      caution[0] = static_cast<char>(caution[0] - 'a' + 'A');
    }
    if (caution.back() != '.') caution += '.';
    report.sentences.push_back(caution);
  }
  add_whose_rows(report);
  add_headlines(report);
  add_advice(report, model, options);
}

}  // namespace conflux

// What a reader should take away: a verdict, four figures, and what to do next.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/shell_word.h"
#include "report/facts.h"

namespace conflux {

namespace {

// With a chance band that reaches so far, hardly any difference could be seen.
constexpr double kWideBand = 0.65;
// In deviations of the AUC by chance, as the judgement has it.
constexpr double kFarBelow = 4;
// Groups with less in common may differ in what they hold, and rows cannot tell.
constexpr double kHardlyAnyOverlap = 0.05;
constexpr double kManyFarRows = 0.05;
constexpr std::size_t kMostFusedNamed = 3;

bool follows_noise(const Judgement& judgement) {
  const GroupPrediction& after = judgement.prediction_after;
  return judgement.energy.after < judgement.energy_low ||
         after.auc < 0.5 - kFarBelow * after.deviation;
}

bool alike_before(const Report& report, const Judgement& judgement) {
  return !judgement.prediction_before.beyond_chance() && (!report.check || !report.check->differ);
}

// Whether rows that no map was fitted on have judged the fit.
bool judged_unseen(const Report& report) {
  return report.fitted_rows && !report.record.summary.verdict.empty() &&
         report.record.summary.unseen_rows > 0;
}

// The verdict of rows that the fit has not seen, if these are its own rows.
std::string judged_as(const Report& report) {
  return judged_unseen(report) ? report.record.summary.verdict
                               : std::string(name_of(report.evaluation.judgement->verdict));
}

bool still_predictable(const Report& report) {
  return judged_as(report) == name_of(Verdict::kBetter);
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

// Rows cannot tell a shift from a difference in what groups hold; labels can.
bool needs_labels(const Report& report) {
  return report.check && !report.check->labels && report.check->overlap < kHardlyAnyOverlap;
}

// Reasons to look although the groups came together.
std::vector<std::string> doubts_of(const Report& report) {
  std::vector<std::string> out;
  const Judgement& judgement = *report.evaluation.judgement;
  if (were_fused(report)) {
    out.push_back("labels were fused: " + fused_names(*report.neighborhoods));
  }
  for (const std::string& warning : judgement.warnings) {
    // Said by other words already, or about rows that judge themselves.
    if (warning.starts_with("labels ") && were_fused(report)) continue;
    if (judged_unseen(report) && warning.starts_with("the group is predicted worse")) continue;
    out.push_back(warning);
  }
  if (needs_labels(report)) {
    out.push_back(fmt::format(
        "before, {:.0f} % of the rows lay near rows of another group: the rows alone cannot tell a "
        "shift from a difference in what the groups hold; labels, or controls that are the same in "
        "every group, would settle it",
        100 * report.check->overlap));
  }
  if (report.fitted_rows && !judged_unseen(report)) {
    out.push_back(
        "these are the rows of the fit, and none were kept from it: distances flatter, new rows "
        "will do worse");
  }
  if (report.reach && report.reach->far > kManyFarRows) {
    out.push_back(fmt::format("{:.0f} % of the rows lie where a quarter of the maps have seen none",
                              100 * report.reach->far));
  } else if (!report.fitted_rows && report.reach && report.reach->unlike_fitted()) {
    out.push_back(
        fmt::format("{:.0f} % of the rows lie where so many maps have seen none as for only one "
                    "in a hundred rows of the fit",
                    100 * *report.reach->beyond_fitted));
  }
  return out;
}

ReportVerdict verdict_of_alike(const Judgement& judgement) {
  if (follows_noise(judgement)) return ReportVerdict::kMatchedNoise;
  if (judgement.prediction_after.beyond_chance()) return ReportVerdict::kDidNotHelp;
  return judgement.prediction_before.by_chance() > kWideBand ? ReportVerdict::kCannotTell
                                                             : ReportVerdict::kNothingToAlign;
}

Index features_that_differ(const Report& report, FeatureDifference FeatureChange::*when) {
  return std::count_if(report.features.begin(), report.features.end(),
                       [&](const FeatureChange& each) { return (each.*when).differs; });
}

// Unseen rows came closer, but these, of which there are more to learn from, are predicted as
// before.
bool no_gain_here(const Report& report) {
  const Verdict here = report.evaluation.judgement->verdict;
  return still_predictable(report) && (here == Verdict::kUnchanged || here == Verdict::kWorse);
}

ReportVerdict verdict_from(const Report& report, const std::string& judged) {
  if (no_gain_here(report)) return ReportVerdict::kDidNotHelp;
  if (judged == name_of(Verdict::kAligned) || judged == name_of(Verdict::kBetter)) {
    return doubts_of(report).empty() && !still_predictable(report) ? ReportVerdict::kWorked
                                                                   : ReportVerdict::kWorkedButLook;
  }
  if (judged != name_of(Verdict::kNothingToDo)) return ReportVerdict::kDidNotHelp;
  // Nobody could prediction, but some features differed by themselves.
  const bool fewer = features_that_differ(report, &FeatureChange::after) <
                     features_that_differ(report, &FeatureChange::before);
  if (fewer) {
    return doubts_of(report).empty() ? ReportVerdict::kWorked : ReportVerdict::kWorkedButLook;
  }
  return report.check && report.check->differ ? ReportVerdict::kDidNotHelp
                                              : ReportVerdict::kNothingToAlign;
}

std::string opening(const Report& report) {
  switch (report.verdict) {
    case ReportVerdict::kNothingToAlign:
      return "The groups could not be told apart before; use the rows as they are.";
    case ReportVerdict::kWorked:
      return "The groups could be told apart before, and no longer can be.";
    case ReportVerdict::kWorkedButLook:
      return still_predictable(report)
                 ? "The groups have come closer, but the group of a row can still be predicted "
                   "better "
                   "than by chance."
                 : "The groups have come together, but there is something to look at.";
    case ReportVerdict::kMatchedNoise:
      return "The groups did not differ before; the model made their rows follow each other more "
             "closely than chance would. That is noise, and the rows are better left as they were.";
    case ReportVerdict::kDidNotHelp:
      if (report.evaluation.judgement && no_gain_here(report)) {
        return "The groups can be told apart nearly as well as before; do not use these rows as if "
               "they were aligned.";
      }
      return "The groups can be told apart as well as before, or better; do not use these rows as "
             "if they were aligned.";
    case ReportVerdict::kCannotTell:
      return report.evaluation.judgement
                 ? "There are too few rows to see a difference, before or after."
                 : "It takes two groups of at least three rows each to judge an alignment.";
  }
  return "";
}

void tell_whose_rows(Report& report) {
  if (!report.fitted_rows || report.record.layers.empty()) return;
  const FitSummary& summary = report.record.summary;
  if (!judged_unseen(report) && report.verdict == ReportVerdict::kWorkedButLook) return;
  if (judged_unseen(report) && no_gain_here(report)) {
    report.sentences.push_back(fmt::format(
        "{} rows that no map was fitted on have become harder to predict (AUC {:.3f} -> "
        "{:.3f}{}, chance up to {:.3f}), but not enough.",
        summary.unseen_rows, summary.auc_before, summary.auc_after, among_whom(report),
        summary.auc_by_chance));
    return;
  }
  report.sentences.push_back(
      judged_unseen(report)
          ? fmt::format(
                "These are the rows of the fit, which may flatter it; the verdict is that of "
                "{} rows that no map was fitted on (AUC {:.3f} -> {:.3f}{}, chance up to "
                "{:.3f}).",
                summary.unseen_rows, summary.auc_before, summary.auc_after, among_whom(report),
                summary.auc_by_chance)
          : "These are the rows of the fit, which flatter it: new rows will do worse.");
}

// Distances without bias may come out a little below nothing.
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
       : judgement.clusters_found ? "predicting the group among rows of one cluster (AUC)"
                                  : "predicting the group among rows of one label (AUC)",
       unseen ? fmt::format("{:.2f} → {:.2f}", summary.auc_before, summary.auc_after)
              : fmt::format("{:.2f} → {:.2f}", before.auc, after.auc),
       fmt::format("0.5 is chance, up to {:.3f} cannot be told from it{}",
                   unseen ? summary.auc_by_chance : after.by_chance(),
                   unseen ? "; rows that no map was fitted on" : "")});
  report.headlines.push_back(
      {"distance of a group from the rest",
       distance_text(judgement.energy.before) + " → " + distance_text(judgement.energy.after),
       fmt::format("chance: {:.1g} to {:.1g}", judgement.energy_low, judgement.energy.by_chance)});
  report.headlines.push_back(
      {"neighbors kept within the group",
       fmt::format("{:.0f} %", 100 * judgement.mean_neighbors_kept),
       fmt::format("chance: {:.0f} %", 100 * judgement.neighbors_by_chance)});
  if (judgement.label_transfer) {
    report.headlines.push_back(
        {"label of the nearest row elsewhere fits",
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

// Words of commands about the same files.
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
    report.advice.push_back({"Labels are protected already; fewer layers move rows less far.",
                             files.fit({"--label", files.label, "--layers", "5"})});
    return;
  }
  report.advice.push_back({"Align like with like: rows of one label with rows of the same label.",
                           files.fit({"--label", files.label.empty() ? "LABEL" : files.label})});
}

void advise_labels(Report& report, const Files& files) {
  if (!needs_labels(report)) return;
  report.advice.push_back(
      {"If a column tells what rows show, align like with like.", files.fit({"--label", "LABEL"})});
}

// Rows of one label are fewer than those of whole groups, and fewer kinds of layers are tried.
void advise_whole_groups(Report& report, const Model& model, const Files& files) {
  if (model.record.options.gate != Gating::kLabel || files.label.empty()) return;
  report.advice.push_back({"Align whole groups instead, and see whether labels are fused.",
                           files.fit({"--label", files.label, "--gate", "none"})});
}

void advise_to_look(Report& report, const Files& files) {
  report.advice.push_back({"See how the groups differ, and what could be aligned.",
                           shell_command({"conflux", "check", files.data.front(), "--group",
                                          files.group.empty() ? "GROUP" : files.group})});
}

// Whether the fit itself has said that its rows are not aligned well enough to be used as such.
bool is_warned_off(const Report& report) {
  return std::any_of(report.sentences.begin(), report.sentences.end(), [](const std::string& each) {
    return each.find("do not use these rows") != each.npos;
  });
}

void add_advice(Report& report, const Model& model, const ReportOptions& options) {
  const Files files = files_of(report, options);
  switch (report.verdict) {
    case ReportVerdict::kNothingToAlign:
      report.advice.push_back({"Use the rows as they are; nothing is gained by moving them."});
      break;
    case ReportVerdict::kMatchedNoise:
      report.advice.push_back(
          {"Use the rows as they are, or let the fit look first: without "
           "--method it leaves alone what does not differ.",
           files.fit({})});
      break;
    case ReportVerdict::kDidNotHelp:
      advise_whole_groups(report, model, files);
      advise_to_look(report, files);
      break;
    case ReportVerdict::kCannotTell:
      report.advice.push_back({"Give more rows of every group.",
                               shell_command({"conflux", "report", files.model, "more_rows.csv"})});
      break;
    case ReportVerdict::kWorkedButLook:
      advise_about_fusing(report, model, files);
      advise_labels(report, files);
      if (is_warned_off(report)) advise_to_look(report, files);
      if (is_warned_off(report) || were_fused(report)) break;
      [[fallthrough]];
    case ReportVerdict::kWorked:
      report.advice.push_back(
          {"Write the aligned rows.", files.of_model("transform", {"-o", "aligned.csv"})});
      break;
  }
  if (report.fitted_rows && report.verdict != ReportVerdict::kNothingToAlign) {
    report.advice.push_back(
        {"Judge rows that the fit has not seen.",
         shell_command({"conflux", "report", files.model, "new_rows.csv", "-o", "report.html"})});
  }
}

}  // namespace

const char* among_whom(const Report& report) {
  if (!report.record.summary.within_labels) return "";
  return report.evaluation.judgement->clusters_found ? " among rows of one cluster"
                                                     : " among rows of one label";
}

std::string_view name_of(ReportVerdict verdict) {
  switch (verdict) {
    case ReportVerdict::kNothingToAlign:
      return "nothing to align";
    case ReportVerdict::kWorked:
      return "worked";
    case ReportVerdict::kWorkedButLook:
      return "worked, but look";
    case ReportVerdict::kMatchedNoise:
      return "matched noise";
    case ReportVerdict::kDidNotHelp:
      return "did not help";
    case ReportVerdict::kCannotTell:
      return "cannot tell";
  }
  return "?";
}

void conclude(Report& report, const Model& model, const ReportOptions& options) {
  std::vector<std::string> doubts;
  if (report.evaluation.judgement) {
    const Judgement& judgement = *report.evaluation.judgement;
    const std::string judged = judged_as(report);
    report.verdict = alike_before(report, judgement) ? verdict_of_alike(judgement)
                                                     : verdict_from(report, judged);
    if (report.verdict == ReportVerdict::kWorkedButLook) doubts = doubts_of(report);
  }
  report.sentences = {opening(report)};
  for (std::string& doubt : doubts) {
    // Sentences begin with a large letter and end with a stop.
    if (doubt[0] >= 'a' && doubt[0] <= 'z') doubt[0] = static_cast<char>(doubt[0] - 'a' + 'A');
    if (doubt.back() != '.') doubt += '.';
    report.sentences.push_back(std::move(doubt));
  }
  tell_whose_rows(report);
  add_headlines(report);
  add_advice(report, model, options);
}

}  // namespace conflux

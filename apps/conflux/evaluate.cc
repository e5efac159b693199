// conflux evaluate: how well a model aligns rows, seen or not.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "conflux/core/error.h"
#include "conflux/judging/evaluation.h"
#include "conflux/storage/model_file.h"
#include "core/nearest_name.h"
#include "dataset/model_dataset.h"
#include "evaluation_json.h"
#include "file_checks.h"
#include "grouped_input.h"
#include "judging/feature_distances.h"
#include "judging/new_rows.h"
#include "processes.h"
#include "verbs.h"

namespace conflux::app {

namespace {

struct EvaluateFlags {
  std::string model;
  GroupedInputFlags input;
  std::string space = "translated";
  bool by_feature = false;
  bool curve = false;
  std::optional<double> amount;
  EvaluationOptions options;
};

/// Before a large table is read.
void check_metrics(const EvaluateFlags& flags) {
  const std::vector<std::string> known = metric_names();
  for (const std::string& name : flags.options.metrics) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw InvalidOption(unknown_name("metric", name, known));
    }
  }
}

Change within_labels(const Judgement& judgement) {
  return {judgement.within_before->auc, judgement.within_after->auc,
          judgement.within_after->by_chance()};
}

constexpr std::size_t kMostPairsInTable = 12;

/// The figure afterwards beside the one before: is it better?
std::string comparison(double before, double after, double by_chance, bool small_is_good) {
  // Changes within a fiftieth of the way to chance are no news.
  const double noise = 0.02 * std::abs(before - by_chance);
  if (std::abs(after - before) <= noise) return "same";
  return (after < before) == small_is_good ? "better" : "worse";
}

void print_line(const std::string& name, std::optional<double> before, double after,
                std::optional<double> by_chance, const std::string& remark) {
  const auto text = [](std::optional<double> value) {
    return value ? fmt::format("{:.4g}", *value) : std::string();
  };
  fmt::print("{:<34} {:>10} {:>10} {:>10}  {}\n", name, text(before), fmt::format("{:.4g}", after),
             text(by_chance), remark);
}

void print_change(const std::string& name, const Change& change, bool small_is_good) {
  print_line(name, change.before, change.after, change.by_chance,
             comparison(change.before, change.after, change.by_chance, small_is_good));
}

void print_judgement(const Judgement& judgement) {
  print_change("predicting the group (AUC)",
               {judgement.prediction_before.auc, judgement.prediction_after.auc,
                judgement.prediction_after.by_chance()},
               true);
  if (judgement.within_after) {
    print_change(judgement.clusters_found ? "the same within clusters" : "the same within labels",
                 within_labels(judgement), true);
  }
  if (const auto worst = judgement.verdict_after().worst_group()) {
    print_change(
        fmt::format("  highest: {}", judgement.worst_group),
        {judgement.verdict_before().per_group[*worst], judgement.verdict_after().per_group[*worst],
         judgement.verdict_after().by_chance()},
        true);
  }
  print_change("energy distance to the others", judgement.energy, true);
  if (judgement.ilisi) print_change("groups around a row (iLISI)", *judgement.ilisi, false);
  if (judgement.label_transfer) {
    print_change("nearest row has the same label", *judgement.label_transfer, false);
  }
}

void print_pairs(const MetricResult& result, const Evaluation& found) {
  fmt::print("\n{:<34} {:>10} {:>10} {:>10}\n", result.name, "before", "after", "chance");
  for (std::size_t i = 0; i < std::min(result.pairs.size(), kMostPairsInTable); ++i) {
    const PairValue& pair = result.pairs[i];
    print_line(fmt::format("  {} as {}", found.group_names[pair.a], found.group_names[pair.b]),
               pair.before, pair.after, pair.by_chance, "");
  }
  if (result.pairs.size() > kMostPairsInTable) {
    fmt::print("  ... {} more (--json)\n", result.pairs.size() - kMostPairsInTable);
  }
}

constexpr std::size_t kMostGroupsInTable = 12;
constexpr std::size_t kMostFeaturesInTable = 10;

void print_importance(const Judgement& judgement) {
  if (!judgement.prediction_after.beyond_chance()) return;
  fmt::print("\n{:<34}{:>10}{:>10}\n", "importance for prediction", "before", "after");
  const std::size_t all = judgement.given_away_by.size();
  for (std::size_t j = 0; j < std::min(all, kMostFeaturesInTable); ++j) {
    const auto& [name, shares] = judgement.given_away_by[j];
    fmt::print("{:<34}{:>8.0f} %{:>8.0f} %\n", name, 100 * shares.first, 100 * shares.second);
  }
  if (all > kMostFeaturesInTable) fmt::print("... {} more (--json)\n", all - kMostFeaturesInTable);
}

// A value per group, or per label, for every metric that has them.
void print_values(const std::vector<MetricResult>& results, const std::vector<std::string>& names,
                  const std::vector<Index>& rows, const char* title,
                  const std::function<std::string(const MetricResult&, std::size_t)>& value_of) {
  std::vector<const MetricResult*> shown;
  for (const MetricResult& result : results) {
    if (!value_of(result, 0).empty()) shown.push_back(&result);
  }
  if (shown.empty()) return;
  std::size_t width = 11;
  for (const std::string& name : names) width = std::max(width, name.size() + 1);
  fmt::print("\n{:<{}}{:>8}", title, width, "rows");
  for (const MetricResult* result : shown) fmt::print("{:>16}", result->name);
  fmt::print("\n");
  for (std::size_t c = 0; c < std::min(names.size(), kMostGroupsInTable); ++c) {
    fmt::print("{:<{}}{:>8}", names[c], width, rows[c]);
    for (const MetricResult* result : shown) fmt::print("{:>16}", value_of(*result, c));
    fmt::print("\n");
  }
  if (names.size() > kMostGroupsInTable) {
    fmt::print("... {} more (--json)\n", names.size() - kMostGroupsInTable);
  }
}

void print_groups(const Evaluation& found) {
  print_values(found.metrics, found.group_names, found.rows, "group",
               [](const MetricResult& result, std::size_t m) {
                 return result.per_group.empty() ? "" : fmt::format("{:.4g}", result.per_group[m]);
               });
}

void print_labels(const Evaluation& found) {
  if (found.label_names.empty()) return;
  print_values(found.metrics, found.label_names, found.rows_of_label, "label",
               [](const MetricResult& result, std::size_t c) {
                 if (result.per_label.empty()) return std::string();
                 const LabelValue& value = result.per_label[c];
                 return value.before ? fmt::format("{:.3f} -> {:.3f}", *value.before, value.after)
                                     : fmt::format("{:.4g}", value.after);
               });
}

// Distances fall to what they are by chance; scores of integration rise to 1.
std::string remark_on(const MetricResult& result) {
  constexpr double kNoNews = 0.005;
  if (!result.before) return {};
  if (result.by_chance) return comparison(*result.before, result.after, *result.by_chance, true);
  if (std::abs(result.after - *result.before) < kNoNews) return "same";
  return result.after > *result.before ? "better" : "worse";
}

void print_table(const Evaluation& found, const EvaluateFlags& flags) {
  if (found.judgement) {
    for (const std::string& sentence : found.judgement->sentences) fmt::print("{}\n", sentence);
    fmt::print(
        "If these are training rows, the scores are optimistic: evaluate rows that the fit has not "
        "seen.\n\n");
  }
  fmt::print("{:<34} {:>10} {:>10} {:>10}\n", "", "before", "after", "chance");
  if (found.judgement) print_judgement(*found.judgement);
  for (const MetricResult& result : found.metrics) {
    if (result.name == "ilisi") continue;  // is there already
    print_line(result.name, result.before, result.after, result.by_chance, remark_on(result));
  }
  fmt::print("chance: groups assigned to the same rows at random\n");
  for (const MetricResult& result : found.metrics) {
    if (!result.pairs.empty()) print_pairs(result, found);
  }
  if (std::any_of(found.metrics.begin(), found.metrics.end(),
                  [](const MetricResult& each) { return !each.pairs.empty(); })) {
    fmt::print("before: group against group; after: {}\n",
               flags.space == "shared" ? "the same in the shared space"
                                       : "each as the other, against the other");
  }
  if (found.judgement) print_importance(*found.judgement);
  print_groups(found);
  print_labels(found);
}

void say_what_was_drawn(const GroupSet& groups, const Evaluation& found, const EvaluateFlags& flags,
                        const Console& console) {
  for (Index m = 0; m < groups.num_groups(); ++m) {
    if (found.rows[m] == groups[m].rows.rows()) continue;
    console.info(fmt::format("group \"{}\": {} of {} rows, drawn with seed {} (--max-rows)",
                             groups[m].name, found.rows[m], groups[m].rows.rows(),
                             flags.options.seed));
  }
}

void print_distances(const std::vector<FeatureDistance>& features) {
  fmt::print("\n{:<28}{:>10}{:>10}{:>10}{:>12}{:>10}\n", "feature", "EMD before", "after", "chance",
             "MAD before", "after");
  FeatureDistance mean{.name = "mean"};
  const auto print = [](const FeatureDistance& each) {
    fmt::print("{:<28}{:>10.4g}{:>10.4g}{:>10.4g}{:>12.4g}{:>10.4g}\n", each.name, each.emd_before,
               each.emd_after, each.emd_by_chance, each.mad_before, each.mad_after);
  };
  for (const FeatureDistance& each : features) {
    print(each);
    for (double FeatureDistance::*value :
         {&FeatureDistance::emd_before, &FeatureDistance::emd_after,
          &FeatureDistance::emd_by_chance, &FeatureDistance::mad_before,
          &FeatureDistance::mad_after}) {
      mean.*value += each.*value / static_cast<double>(features.size());
    }
  }
  print(mean);
  fmt::print(
      "EMD: earth mover's distance of two groups, the mean over pairs; MAD: median absolute "
      "deviation within a group, the mean over groups\n");
}

// A figure of a curve that may not be there.
std::string curve_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.3f}", *value) : "";
}

void print_curve(const std::vector<AmountPoint>& curve) {
  if (curve.empty()) return;
  const bool within = curve.front().group_auc_within.has_value();
  const bool labels = curve.front().label_auc.has_value();
  fmt::print("\n{:<8}{:>12}{:>10}{}{}{:>10}\n", "amount", "group AUC", "chance",
             within ? "    within labels" : "", labels ? "   label AUC" : "", "moved");
  for (const AmountPoint& each : curve) {
    fmt::print("{:<8.2g}{:>12.3f}{:>10.3f}{}{}{:>10.3f}\n", each.amount, each.group_auc,
               each.group_by_chance,
               within ? fmt::format("{:>17}", curve_text(each.group_auc_within)) : "",
               labels ? fmt::format("{:>12}", curve_text(each.label_auc)) : "", each.moved);
  }
  fmt::print(
      "amount: fraction of their way that rows are moved (--amount); moved: root mean square, in "
      "standard deviations within groups\n");
}

Json distances_json(const std::vector<FeatureDistance>& features) {
  Json out = Json::object();
  for (const FeatureDistance& each : features) {
    out[each.name] = Json{{"emd", Json{{"before", each.emd_before},
                                       {"after", each.emd_after},
                                       {"by_chance", each.emd_by_chance}}},
                          {"mad", Json{{"before", each.mad_before}, {"after", each.mad_after}}}};
  }
  return out;
}

void warn_of_far_rows(const Model& model, const GroupSet& groups, const Console& console) {
  FarRows far;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const SampleRows& rows = groups[m].rows;
    far.add(model.record.summary,
            rows.middle_rows(0, std::min(rows.rows(), FarRows::kEnough)).to_matrix());
  }
  if (const std::string warning = far.warning(model.feature_names); !warning.empty()) {
    console.warn(warning);
  }
}

void run_evaluate(const EvaluateFlags& given, const Console& console) {
  // The first process evaluates a sample of rows, which is not worth sharing.
  if (processes().rank() > 0) return;
  EvaluateFlags flags = given;
  flags.input.read_only = true;
  EvaluationOptions& options = flags.options;
  for (std::string& name : options.metrics) std::replace(name.begin(), name.end(), '-', '_');
  check_model_comes_first(flags.model, flags.input.paths.front());
  Model model = load_model(flags.model);
  if (flags.amount) set_amount(model, *flags.amount);
  check_metrics(flags);
  const Dataset input =
      read_dataset_for(model, dataset_options(flags.input), dataset_hooks(console));
  options.threads = flags.input.threads;
  options.space = flags.space == "shared" ? EvaluationSpace::kShared : EvaluationSpace::kTranslated;
  options.gate = model.record.options.gate;
  options.progress = [&](const std::string& what) { console.progress(what); };
  const Evaluation found = evaluate(model.flow, input.groups, options);
  console.finish_progress();
  say_what_was_drawn(input.groups, found, flags, console);
  if (found.group_names.size() < 2) {
    console.warn("there is one group only; distances between groups are left out");
  }
  std::vector<FeatureDistance> features;
  if (flags.by_feature) {
    features = feature_distances(model, input.groups, options.seed, options.threads);
  }
  std::vector<AmountPoint> curve;
  if (flags.curve) curve = amount_curve(model.flow, input.groups, curve_amounts(), options);
  console.finish_progress();
  if (console.json) {
    Json out = evaluation_json(found, flags.model, flags.space, flags.options.seed);
    if (flags.by_feature) out["features"] = distances_json(features);
    if (flags.curve) out["curve"] = curve_json(curve);
    print_json(out);
  } else {
    print_table(found, flags);
    if (flags.curve) print_curve(curve);
    if (flags.by_feature) print_distances(features);
  }
  warn_of_far_rows(model, input.groups, console);
  if (!found.judgement) return;
  for (const std::string& warning : found.judgement->warnings) console.warn(warning);
}

}  // namespace

Verb evaluate_verb() {
  const auto flags = std::make_shared<EvaluateFlags>();
  Verb verb{
      .name = "evaluate",
      .description =
          "score a model on any rows: groups before and after, each metric beside its chance level",
      .example = "conflux evaluate cells.conflux held_out.csv --metrics w2_exact,paper_wd",
      .run = [flags](const Console& console) { run_evaluate(*flags, console); }};
  EvaluationOptions& settings = flags->options;
  verb.add(
      {{.names = "MODEL",
        .help = "model file that conflux fit wrote",
        .target = &flags->model,
        .required = true},
       {.names = "INPUT",
        .help = "tables of all groups, or one table per group",
        .target = &flags->input.paths,
        .required = true},
       {.names = "--metrics",
        .value = "LIST",
        .help = fmt::format("with commas, of {}; scib is the scores that follow it, which need "
                            "labels [transport_cost, neighbors_kept, ilisi, round_trip; with "
                            "labels also clisi]",
                            fmt::join(metric_names(), ", ")),
        .target = &settings.metrics},
       {.names = "--space",
        .value = "translated|shared",
        .help = "compare a group translated to another with that other, or all in the shared "
                "space [translated]",
        .target = &flags->space,
        .choices = {"translated", "shared"}},
       {.names = "--by-feature",
        .help = "also the earth mover's distance (EMD) between groups and the median absolute "
                "deviation (MAD) within them, feature by feature",
        .target = &flags->by_feature},
       {.names = "--curve",
        .help =
            "also the group AUC, and with labels the label AUC, of moving rows by each tenth of "
            "their way",
        .target = &flags->curve},
       {.names = "--max-rows",
        .value = "N",
        .help =
            "rows of each group used, sampled by seed; metrics of pairs of groups use 1000 [10000]",
        .target = &settings.max_rows,
        .least = 1},
       {.names = "--block",
        .value = "N",
        .help = "rows per block of w2_exact and paper_wd [w2_exact: whole up to 2000 rows, "
                "else 500]",
        .target = &settings.block,
        .least = 1},
       {.names = "--seed", .value = "N", .help = "random seed [0]", .target = &settings.seed},
       group_flag(flags->input.group, "column with the group of each row [as in the fit]"),
       label_flag(flags->input, "column of labels that should not be mixed [as in the fit]"),
       features_flag(flags->input.features,
                     "columns of the features, in their order [as in the fit]"),
       where_flag(flags->input),
       threads_flag(flags->input.threads)});
  verb.add(amount_flag(flags->amount));
  verb.add(join_flags(flags->input));
  verb.add(input_flags(flags->input.table));
  return verb;
}

}  // namespace conflux::app

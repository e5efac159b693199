// conflux evaluate: how well a model aligns rows, seen or not.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "conflux/core/error.h"
#include "conflux/storage/model_file.h"
#include "core/nearest_name.h"
#include "evaluation.h"
#include "grouped_input.h"
#include "model_columns.h"
#include "verbs.h"

namespace conflux::app {

namespace {

constexpr Index kRowsForLisi = 91;

struct EvaluateFlags {
  std::string model;
  GroupedInputFlags input;
  EvaluationSettings settings;
};

void check_metrics(const EvaluateFlags& flags) {
  const std::vector<std::string> known = metric_names();
  for (const std::string& name : flags.settings.metrics) {
    if (name == "clisi" && flags.input.label.empty()) {
      throw InvalidOption("clisi counts labels; name their column with --label.");
    }
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw InvalidOption(unknown_name("metric", name, known));
    }
  }
}

GroupedInput read_for(const Model& model, const EvaluateFlags& flags, const Console& console) {
  GroupedInputFlags input = flags.input;
  if (input.group.empty()) input.group = model.group_column;
  ColumnFlags columns{.group = input.group, .features = input.features};
  TableOptions options = read_options(input.table, input.group, input.threads);
  options.numeric = numeric_columns(model, columns);
  const std::string& first = input.paths.front();
  // Standard input can be read once, so its columns must have the names of the model.
  if (first == "-") {
    input.features = *options.numeric;
  } else {
    const bool one_file_per_group = input.group.empty() && input.paths.size() > 1;
    input.features = find_columns(open_table(first, options)->schema(), first, model, columns,
                                  !one_file_per_group)
                         .features;
  }
  return read_groups(input, console);
}

// What is measured when nothing is asked for: labels add how they are mixed.
std::vector<std::string> usual_metrics(const GroupSet& groups) {
  std::vector<std::string> out = {"w2_exact", "sliced_w2", "energy_distance", "transport_cost",
                                  "neighbors_kept"};
  if (!groups.label_names().empty() && groups.num_samples() >= kRowsForLisi) {
    out.insert(out.end(), {"ilisi", "clisi"});
  }
  out.push_back("round_trip");
  return out;
}

Json matrix_json(const Matrix& values, const std::vector<std::string>& names) {
  Json out;
  for (Index a = 0; a < values.rows(); ++a) {
    for (Index b = 0; b < values.cols(); ++b) {
      if (a != b) out[names[a]][names[b]] = values(a, b);
    }
  }
  return out;
}

Json json_of(const std::vector<Result>& results, const Samples& samples,
             const EvaluateFlags& flags) {
  Json rows;
  for (std::size_t m = 0; m < samples.names.size(); ++m) {
    rows[samples.names[m]] = samples.original[m].rows();
  }
  Json metrics;
  for (const Result& result : results) {
    Json& entry = metrics[result.name];
    if (result.after) {
      entry["before"] = {{"mean", result.before->mean},
                         {"pairs", matrix_json(result.before->values, samples.names)}};
      entry["after"] = {{"mean", result.after->mean},
                        {"pairs", matrix_json(result.after->values, samples.names)}};
      continue;
    }
    if (result.all.before) {
      entry = {{"before", *result.all.before}, {"after", result.all.after}};
    } else {
      entry[result.name == "round_trip" ? "largest" : "mean"] = result.all.after;
    }
    for (std::size_t m = 0; m < result.per_group.size(); ++m) {
      entry["groups"][samples.names[m]] = result.per_group[m];
    }
    for (std::size_t c = 0; c < result.per_label.size(); ++c) {
      const Change& change = result.per_label[c];
      Json& of_label = entry["labels"][samples.label_names[c]];
      of_label = change.before ? Json{{"before", *change.before}, {"after", change.after}}
                               : Json(change.after);
    }
  }
  return {{"model", flags.model},
          {"space", flags.settings.space},
          {"seed", flags.settings.seed},
          {"rows", rows},
          {"metrics", metrics}};
}

constexpr std::size_t kMostGroupsInTable = 12;

void print_matrix(const Result& result, const Samples& samples) {
  std::size_t width = 11;
  for (const std::string& name : samples.names) width = std::max(width, name.size() + 1);
  fmt::print("\n{} after, rows as columns\n{:{}}", result.name, "", width);
  for (const std::string& name : samples.names) fmt::print("{:>{}}", name, width);
  fmt::print("\n");
  for (Index a = 0; a < result.after->values.rows(); ++a) {
    fmt::print("{:<{}}", samples.names[a], width);
    for (Index b = 0; b < result.after->values.cols(); ++b) {
      fmt::print("{:>{}}", a == b ? "-" : fmt::format("{:.4g}", result.after->values(a, b)), width);
    }
    fmt::print("\n");
  }
}

// A value per group, or per label, for every metric that has them.
void print_values(const std::vector<Result>& results, const std::vector<std::string>& names,
                  const std::vector<Index>& rows, const char* title,
                  const std::function<std::string(const Result&, std::size_t)>& value_of) {
  std::vector<const Result*> shown;
  for (const Result& result : results) {
    if (!value_of(result, 0).empty()) shown.push_back(&result);
  }
  if (shown.empty()) return;
  std::size_t width = 11;
  for (const std::string& name : names) width = std::max(width, name.size() + 1);
  fmt::print("\n{:<{}}{:>8}", title, width, "rows");
  for (const Result* result : shown) fmt::print("{:>16}", result->name);
  fmt::print("\n");
  for (std::size_t c = 0; c < names.size(); ++c) {
    fmt::print("{:<{}}{:>8}", names[c], width, rows[c]);
    for (const Result* result : shown) fmt::print("{:>16}", value_of(*result, c));
    fmt::print("\n");
  }
}

void print_groups(const std::vector<Result>& results, const Samples& samples) {
  std::vector<Index> rows;
  for (const Matrix& part : samples.original) rows.push_back(part.rows());
  print_values(results, samples.names, rows, "group", [](const Result& result, std::size_t m) {
    return result.per_group.empty() ? "" : fmt::format("{:.4g}", result.per_group[m]);
  });
}

void print_labels(const std::vector<Result>& results, const Samples& samples) {
  if (samples.label_names.empty()) return;
  print_values(results, samples.label_names, rows_by_label(samples), "label",
               [](const Result& result, std::size_t c) {
                 if (result.per_label.empty()) return std::string();
                 const Change& change = result.per_label[c];
                 return change.before
                            ? fmt::format("{:.3f} -> {:.3f}", *change.before, change.after)
                            : fmt::format("{:.4g}", change.after);
               });
}

void print_table(const std::vector<Result>& results, const Samples& samples,
                 const EvaluateFlags& flags) {
  fmt::print("{:<22}{:>12}{:>12}\n", "", "before", "after");
  for (const Result& result : results) {
    fmt::print("{:<22}{:>12}{:>12.4g}\n", result.name,
               result.all.before ? fmt::format("{:.4g}", *result.all.before) : "",
               result.all.after);
  }
  fmt::print("before: group against group; after: {}\n",
             flags.settings.space == "shared" ? "the same in the shared space"
                                              : "each as the other, against the other");
  if (samples.names.size() <= kMostGroupsInTable) {
    for (const Result& result : results) {
      if (result.after) print_matrix(result, samples);
    }
  }
  print_groups(results, samples);
  print_labels(results, samples);
}

void run_evaluate(const EvaluateFlags& given, const Console& console) {
  EvaluateFlags flags = given;
  EvaluationSettings& settings = flags.settings;
  for (std::string& name : settings.metrics) std::replace(name.begin(), name.end(), '-', '_');
  check_metrics(flags);
  const Workers workers(flags.input.threads);
  const Model model = load_model(flags.model);
  const GroupedInput input = read_for(model, flags, console);
  input.groups.validate();
  if (settings.metrics.empty()) settings.metrics = usual_metrics(input.groups);
  const Samples samples = draw_samples(input.groups, model.flow, settings, workers, console);
  if (samples.names.size() < 2) {
    console.warn("there is one group only; distances between groups are left out");
  }
  const std::vector<Result> results = measure(samples, model.flow, settings, workers, console);
  console.finish_progress();
  if (console.json) {
    print_json(json_of(results, samples, flags));
  } else {
    print_table(results, samples, flags);
  }
  const std::string warning = warning_of_mixed_labels(results, samples);
  if (!warning.empty()) console.warn(warning);
}

}  // namespace

Verb evaluate_verb() {
  const auto flags = std::make_shared<EvaluateFlags>();
  Verb verb{.name = "evaluate",
            .description = "measure groups before and after, on any rows",
            .example = "conflux evaluate cells.conflux held_out.csv --metrics w2_exact,paper_wd",
            .run = [flags](const Console& console) { run_evaluate(*flags, console); }};
  EvaluationSettings& settings = flags->settings;
  verb.add({{.names = "MODEL",
             .help = "model file that conflux fit wrote",
             .target = &flags->model,
             .required = true},
            {.names = "INPUT",
             .help = "tables of all groups, or one table per group",
             .target = &flags->input.paths,
             .required = true},
            {.names = "--metrics",
             .value = "LIST",
             .help = fmt::format("with commas, of {} [w2_exact, sliced_w2, energy_distance, "
                                 "transport_cost, neighbors_kept, round_trip; with labels also "
                                 "ilisi, clisi]",
                                 fmt::join(metric_names(), ", ")),
             .target = &settings.metrics},
            {.names = "--space",
             .value = "translated|shared",
             .help = "compare a group translated to another with that other, or all in the shared "
                     "space [translated]",
             .target = &settings.space,
             .choices = {"translated", "shared"}},
            {.names = "--max-rows",
             .value = "N",
             .help = "rows of each group at most, drawn by seed [1000]",
             .target = &settings.max_rows,
             .least = 1},
            {.names = "--block",
             .value = "N",
             .help = "rows per block of w2_exact and paper_wd [w2_exact: whole up to 2000 rows, "
                     "else 500]",
             .target = &settings.block,
             .least = 1},
            {.names = "--seed",
             .value = "N",
             .help = "names the random streams [0]",
             .target = &settings.seed},
            group_flag(flags->input.group, "column that tells the groups [as when fitting]"),
            label_flag(flags->input, "column of labels that should not be mixed"),
            features_flag(flags->input.features,
                          "columns of the features, in their order [as when fitting]"),
            where_flag(flags->input),
            threads_flag(flags->input.threads)});
  verb.add(input_flags(flags->input.table));
  return verb;
}

}  // namespace conflux::app

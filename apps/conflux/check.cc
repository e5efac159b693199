// conflux check: what an alignment would have to do, and what it would risk.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "check_report.h"
#include "columns/measured_scales.h"
#include "conflux/aligning/confounding.h"
#include "core/shell_word.h"
#include "dataset/column_file.h"
#include "dataset/memory_limit.h"
#include "file_checks.h"
#include "files/whole_file.h"
#include "grouped_input.h"
#include "verbs.h"

namespace conflux::app {

namespace {

constexpr std::size_t kMostShown = 10;

struct CheckFlags {
  std::string write_columns;
  bool force = false;
  GroupedInputFlags input;
  CheckOptions options;
};

/// The composition by labels if there are any, otherwise by clusters.
const Composition& composition_of(const CheckReport& found) {
  return found.labels ? *found.labels : found.clusters;
}

/// The command that follows from the advice, complete; empty when nothing is to be done.
std::string command_of(const CheckReport& report, const GroupedInputFlags& input) {
  if (report.advice == Advice::kLeave) return "";
  // A pipe can be read only once, and align reads it twice.
  const bool pipe = input.paths.front() == "-";
  std::vector<std::string> words = {"conflux", pipe ? "fit" : "align"};
  words.insert(words.end(), input.paths.begin(), input.paths.end());
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {flag, value});
  };
  const auto list = [](const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ","));
  };
  add("--group", input.group);
  add("--label", input.label);
  add("--features", list(input.features));
  add("--drop", list(input.drop));
  add("--keep", list(input.keep));
  add("--fit-where", input.where);
  add("--meta", input.meta);
  add("--meta-key", input.meta_key);
  add("--rename", list(input.rename));
  add("--pca", input.pca.count < 0 ? "" : fmt::format("{}", input.pca.count));
  add("--normalize", input.pca.normalize);
  add("--scale", input.choice.scale);
  add("--repeats", input.choice.repeats);
  add("--missing", input.choice.missing);
  add("--as", list(input.choice.as));
  add("--support", list(input.choice.support));
  add("--columns", input.choice.file);
  add("--format", input.table.format);
  if (input.table.no_header) words.emplace_back("--no-header");
  add("--delimiter", input.table.delimiter);
  add("--array", input.table.array);
  // A label that is named is protected without a word.
  if (report.advice == Advice::kGateClusters && input.keep.empty()) add("--gate", "clusters");
  add("-o", pipe ? "aligned.conflux" : aligned_name(input.paths, input.table.format));
  return shell_command(words);
}

Json difference_json(const Difference& difference) {
  return {{"value", difference.value},
          {"by_chance", difference.by_chance},
          {"p_value", difference.p_value}};
}

Json composition_json(const Composition& composition, const std::vector<std::string>& groups) {
  Json shares;
  for (std::size_t m = 0; m < groups.size(); ++m) {
    for (std::size_t c = 0; c < composition.clusters.size(); ++c) {
      shares[groups[m]][composition.clusters[c]] =
          composition.shares(static_cast<Index>(m), static_cast<Index>(c));
    }
  }
  return {{"difference", difference_json(composition.difference)}, {"shares", shares}};
}

Json prediction_json(const GroupPrediction& prediction, const std::vector<std::string>& names) {
  Json groups;
  for (std::size_t m = 0; m < names.size(); ++m) groups[names[m]] = prediction.per_group[m];
  return {{"auc", prediction.auc},
          {"by_chance", prediction.by_chance()},
          {"p_value", prediction.p_value},
          {"rows", prediction.rows},
          {"groups", groups}};
}

}  // namespace

std::string aligned_name(const std::vector<std::string>& paths, const std::string& format) {
  const std::string found = table_format(paths.front(), {.format = format});
  const bool copy = found == "h5ad" && paths.size() == 1;
  std::string name = found == "csv" || found == "tsv" || found == "txt" || copy ? "aligned." + found
                     : found == "mtx"                                           ? "aligned.csv"
                                                                                : "aligned.npz";
  while (std::find(paths.begin(), paths.end(), name) != paths.end()) name = "aligned_" + name;
  return name;
}

Json check_json(const CheckReport& found, const std::vector<std::string>& names,
                const std::vector<std::string>& feature_names, const std::string& command) {
  Json rows, features, atoms = Json::array();
  for (std::size_t m = 0; m < names.size(); ++m) rows[names[m]] = found.rows[m];
  for (std::size_t j = 0; j < found.features.size(); ++j) {
    const FeatureDifference& feature = found.features[j];
    features[feature_names[j]] = {{"differs", feature.differs},
                                  {"shift", feature.shift},
                                  {"shift_by_chance", feature.shift_by_chance},
                                  {"spread_ratio", feature.spread_ratio},
                                  {"p_value", feature.p_value},
                                  {"false_discovery_rate", feature.false_discovery_rate},
                                  {"importance", feature.importance}};
  }
  for (const Index j : found.features_with_atoms) atoms.push_back(feature_names[j]);
  Json out = {{"differ", found.differ},
              {"p_value", found.p_value},
              {"rows", rows},
              {"repeated_rows", found.repeated_rows},
              {"prediction", prediction_json(found.prediction, names)},
              {"features", features},
              {"overlap", found.overlap},
              {"clusters", composition_json(found.clusters, names)},
              {"features_with_atoms", atoms},
              {"advice", name_of(found.advice)},
              {"sentences", found.sentences},
              {"command", command}};
  if (found.labels) out["labels"] = composition_json(*found.labels, names);
  return out;
}

namespace {

/// Positions of the features that differ, the most telling first.
std::vector<std::size_t> features_to_show(const CheckReport& found) {
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < found.features.size(); ++j) {
    if (found.features[j].differs || (found.differ && found.features[j].importance >= 0.1)) {
      order.push_back(j);
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return found.features[a].importance > found.features[b].importance;
  });
  return order;
}

void print_features(const CheckReport& found, const std::vector<std::string>& names) {
  const std::vector<std::size_t> order = features_to_show(found);
  if (order.empty()) return;
  fmt::print("\n{:<26}{:>9}{:>10}{:>9}{:>13}{:>12}\n", "feature", "shift", "(chance)", "spread",
             "importance", "FDR");
  for (std::size_t i = 0; i < std::min(order.size(), kMostShown); ++i) {
    const FeatureDifference& each = found.features[order[i]];
    fmt::print("{:<26}{:>9.2f}{:>10}{:>9.2f}{:>11.0f} %{:>12.2g}{}\n", names[order[i]], each.shift,
               fmt::format("({:.2f})", each.shift_by_chance), each.spread_ratio,
               100 * each.importance, each.false_discovery_rate,
               each.differs ? "" : "  not by itself");
  }
  if (order.size() > kMostShown) fmt::print("... {} more (--json)\n", order.size() - kMostShown);
  fmt::print(
      "shift: largest difference of two group means, in standard deviations within groups; "
      "spread:\nlargest over smallest standard deviation of a group; both of normal scores. "
      "importance: part of\nthe group prediction that is due to the feature.\n");
}

void print_groups(const CheckReport& found, const std::vector<std::string>& names) {
  if (names.size() < 3) return;
  std::vector<std::size_t> order;
  for (std::size_t m = 0; m < names.size(); ++m) {
    if (!std::isnan(found.prediction.per_group[m])) order.push_back(m);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return found.prediction.per_group[a] > found.prediction.per_group[b];
  });
  fmt::print("\n{:<26}{:>9}{:>24}\n", "group", "rows", "AUC against the others");
  for (std::size_t i = 0; i < std::min(order.size(), kMostShown); ++i) {
    fmt::print("{:<26}{:>9}{:>24.3f}\n", names[order[i]], found.rows[order[i]],
               found.prediction.per_group[order[i]]);
  }
  if (order.size() > kMostShown) fmt::print("... {} more (--json)\n", order.size() - kMostShown);
}

void print_composition(const CheckReport& found, const std::vector<std::string>& names) {
  const Composition& composition = composition_of(found);
  std::size_t width = 12;
  for (const std::string& name : names) width = std::max(width, name.size() + 1);
  fmt::print("\nproportions of {:<9}", found.labels ? "labels" : "clusters");
  const std::size_t shown = std::min(names.size(), kMostShown);
  for (std::size_t m = 0; m < shown; ++m) fmt::print("{:>{}}", names[m], width);
  fmt::print("{}\n", names.size() > shown ? "  ... (--json)" : "");
  for (std::size_t c = 0; c < composition.clusters.size(); ++c) {
    fmt::print("  {:<22}", composition.clusters[c]);
    for (Index m = 0; m < static_cast<Index>(shown); ++m) {
      fmt::print("{:>{}.1f} %", 100 * composition.shares(m, static_cast<Index>(c)), width - 2);
    }
    fmt::print("\n");
  }
  fmt::print("  largest difference {:.1f} % (chance: {:.1f} %)\n",
             100 * composition.difference.value, 100 * composition.difference.by_chance);
}

// Groups in the printed table; the JSON form has all.
constexpr std::size_t kMostRangesShown = 20;

void print_ranges(const std::vector<CovariateRange>& ranges) {
  if (ranges.empty()) return;
  fmt::print("{:<20}{:<20}{:>12}{:>12}{:>28}\n", "kept column", "group", "from", "to",
             "outside of the common range");
  for (std::size_t k = 0; k < std::min(ranges.size(), kMostRangesShown); ++k) {
    const CovariateRange& each = ranges[k];
    fmt::print("{:<20}{:<20}{:>12.4g}{:>12.4g}{:>26.0f} %\n", each.column, each.group, each.low,
               each.high, 100 * each.outside);
  }
  if (ranges.size() > kMostRangesShown) {
    fmt::print("... {} more (--json)\n", ranges.size() - kMostRangesShown);
  }
}

Json ranges_json(const std::vector<CovariateRange>& ranges) {
  Json out = Json::array();
  for (const CovariateRange& each : ranges) {
    out.push_back(Json{{"column", each.column},
                       {"group", each.group},
                       {"low", each.low},
                       {"high", each.high},
                       {"outside", each.outside}});
  }
  return out;
}

void run_check(const CheckFlags& flags, const Console& console) {
  ResultFiles(files_read(flags.input), flags.force).add(flags.write_columns, FileKind::kJson);
  const Dataset input = read_dataset(dataset_options(flags.input), dataset_hooks(console));
  if (!flags.write_columns.empty()) {
    replace_file(flags.write_columns, column_file_text(input.columns));
    console.info(
        fmt::format("Wrote {}: edit the types that are wrong, and give it to fit --columns",
                    flags.write_columns));
  }
  const GroupSet& groups = input.groups;
  CheckOptions options = flags.options;
  options.threads = flags.input.threads;
  options.value_of = value_of(input.columns);
  options.subjects = input.subjects ? &*input.subjects : nullptr;
  const CheckReport found = check(groups, options);
  const Index looked_at = std::accumulate(found.rows.begin(), found.rows.end(), Index{0});
  if (looked_at + found.repeated_rows < groups.num_samples()) {
    console.info(fmt::format("{} of {} rows, drawn with seed {} (--max-rows)", looked_at,
                             groups.num_samples(), options.seed));
  }
  show_columns(input.columns, console);
  const std::string command = command_of(found, flags.input);
  const Confounding kept = find_confounding(input, options.seed, options.threads);
  if (console.json) {
    Json out = check_json(found, groups.names(), groups.feature_names(), command);
    if (groups.covariates() > 0) {
      out["kept_columns"] = Json{{"auc", kept.auc},
                                 {"auc_by_chance", kept.auc_by_chance},
                                 {"warnings", kept.warnings},
                                 {"ranges", ranges_json(kept.ranges)}};
    }
    print_json(out);
    return;
  }
  for (const std::string& sentence : found.sentences) fmt::print("{}\n", sentence);
  if (!kept.sentence.empty()) fmt::print("{}\n", kept.sentence);
  print_ranges(kept.ranges);
  for (const std::string& warning : kept.warnings) console.warn(warning);
  if (!command.empty()) fmt::print("Next:\n  {}\n", command);
  print_features(found, groups.feature_names());
  if (!found.differ) return;
  print_groups(found, groups.names());
  print_composition(found, groups.names());
}

}  // namespace

Verb check_verb() {
  const auto flags = std::make_shared<CheckFlags>();
  Verb verb{
      .name = "check",
      .description = "test whether and where groups differ, and whether aligning them is safe",
      .example = "conflux check cells.csv --group batch --label cell_type",
      .run = [flags](const Console& console) { run_check(*flags, console); }};
  verb.add(
      {tables_flag(flags->input),
       group_flag(flags->input.group, "column with the group of each row"),
       label_flag(flags->input, "class of each row (cell type, digit)"),
       features_flag(flags->input.features,
                     "columns to compare, say age,PC*,X1:X20 [all numbers and small categories]"),
       drop_flag(flags->input),
       keep_flag(flags->input),
       where_flag(flags->input),
       {.names = "--permutations",
        .value = "N",
        .help = "random assignments of rows to groups that give the chance level [99]",
        .target = &flags->options.permutations,
        .least = 19,
        .most = 1e6},
       {.names = "--max-rows",
        .value = "N",
        .help = "rows used, of all groups together; more are sampled [20000]",
        .target = &flags->options.max_rows,
        .least = 2},
       {.names = "--seed", .value = "N", .help = "random seed [0]", .target = &flags->options.seed},
       {.names = "--max-memory",
        .value = "BYTES",
        .help = "refuse tables that need more, say 4G [no limit]",
        .target =
            [flags](const std::string& text) { flags->input.max_memory = bytes_from_text(text); },
        .shown = Shown::kToExperts},
       threads_flag(flags->input.threads)});
  verb.add(component_flags(flags->input.pca));
  verb.add(column_choice_flags(flags->input.choice));
  verb.add({.names = "--write-columns",
            .value = "FILE",
            .help = "write the found column types as JSON, to edit and give to --columns",
            .target = &flags->write_columns});
  verb.add(force_flag(flags->force));
  verb.add(join_flags(flags->input));
  verb.add(input_flags(flags->input.table));
  return verb;
}

}  // namespace conflux::app

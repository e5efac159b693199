// conflux report: one page that shows what a model does to rows.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "conflux/core/error.h"
#include "conflux/storage/model_file.h"
#include "core/stopwatch.h"
#include "dataset/model_dataset.h"
#include "dataset/row_sample.h"
#include "file_checks.h"
#include "grouped_input.h"
#include "report_page.h"
#include "verbs.h"

namespace conflux::app {

namespace {

// Rows of a longer table that are kept: so many, or as many as hold so many numbers.
constexpr Index kMostRows = 200'000;
constexpr Index kFewestRows = 20'000;
constexpr Index kMostNumbers = 24'000'000;

struct ReportFlags {
  std::string model;
  GroupedInputFlags input;
  std::string output;
  bool force = false;
  std::optional<double> amount;
  ReportOptions options;
};

void check_files(const ReportFlags& flags, bool json) {
  if (flags.output.empty() && !json) {
    throw InvalidOption(
        "--output is missing; name the page to write, say -o report.html, or ask "
        "for --json.");
  }
  check_model_comes_first(flags.model, flags.input.paths.front());
  std::vector<std::string> inputs = files_read(flags.input);
  inputs.push_back(flags.model);
  ResultFiles(inputs, flags.force).add(flags.output, FileKind::kPage);
}

// Tables that can be are read in blocks, whatever their length.
GroupSet read_rows(const Model& model, const ReportFlags& flags, ReportOptions& options,
                   Dataset& kept, const Console& console) {
  const DatasetOptions input = options_for(model, dataset_options(flags.input));
  if (!can_be_sampled(model, input)) {
    kept = read_dataset_for(model, input, dataset_hooks(console));
    return kept.groups;
  }
  const Index most = std::clamp<Index>(kMostNumbers / model.flow.dim(), kFewestRows, kMostRows);
  SampledGroups sampled = sample_groups(model, input, most, options.seed, shown_on(console));
  options.table_rows = std::move(sampled.sizes);
  return std::move(sampled.groups);
}

void run_report(const ReportFlags& flags, const Console& console) {
  check_files(flags, console.json);
  const Stopwatch watch;
  Model model = load_model(flags.model);
  if (flags.amount) set_amount(model, *flags.amount);
  ReportOptions options = flags.options;
  Dataset kept;
  const GroupSet groups = read_rows(model, flags, options, kept, console);
  options.threads = flags.input.threads;
  options.model_path = flags.model;
  options.data_paths = flags.input.paths;
  options.progress = [&](const std::string& what) { console.progress(what); };
  const Report report = make_report(model, groups, options);
  console.finish_progress();
  if (!flags.output.empty()) write_report(flags.output, report, watch.seconds(), console);
  for (const std::string& sentence : report.sentences) console.info(sentence);
  if (console.json) std::fputs(report_json(report).c_str(), stdout);
}

}  // namespace

Verb report_verb() {
  const auto flags = std::make_shared<ReportFlags>();
  Verb verb{.name = "report",
            .description =
                "write one offline page on what a model does to rows: verdict, figures, pictures",
            .example = "conflux report cells.conflux cells.csv -o report.html",
            .run = [flags](const Console& console) { run_report(*flags, console); }};
  verb.add(
      {{.names = "MODEL",
        .help = "model file that conflux fit wrote",
        .target = &flags->model,
        .required = true},
       {.names = "INPUT",
        .help = "tables of all groups, or one table per group",
        .target = &flags->input.paths,
        .required = true},
       {.names = "-o,--output",
        .value = "FILE",
        .help = "page to write: one HTML file that needs no network [report.html]",
        .target = &flags->output},
       {.names = "--rows",
        .value = "N",
        .help =
            "rows drawn in the scatter plots, sampled by seed; 0: the page holds no values of rows "
            "[2000]",
        .target = &flags->options.rows,
        .least = 0,
        .most = 20000},
       {.names = "--seed", .value = "N", .help = "random seed [0]", .target = &flags->options.seed},
       group_flag(flags->input.group, "column with the group of each row [as in the fit]"),
       label_flag(flags->input, "column of labels that should not be mixed [as in the fit]"),
       features_flag(flags->input.features,
                     "columns of the features, in their order [as in the fit]"),
       where_flag(flags->input),
       force_flag(flags->force),
       threads_flag(flags->input.threads)});
  verb.add({.names = "--curve",
            .help = "also show what each tenth of the way of the rows leaves (--amount)",
            .target = &flags->options.curve});
  verb.add(amount_flag(flags->amount));
  verb.add(join_flags(flags->input));
  verb.add(input_flags(flags->input.table));
  return verb;
}

}  // namespace conflux::app

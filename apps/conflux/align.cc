// conflux align: all steps in one command. Checks, fits, scores held-out rows, writes the aligned
// table, and prints a summary.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apply.h"
#include "check_report.h"
#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "core/stopwatch.h"
#include "file_checks.h"
#include "fit_run.h"
#include "output_files.h"
#include "report_page.h"
#include "storage/staged_model.h"
#include "verbs.h"

namespace conflux::app {

namespace {

struct AlignFlags {
  FitFlags fit;
  OutputFlags output;
  bool expression = false;
  std::string model;
  std::string to;
  std::string report;
};

void check_files(const AlignFlags& flags, bool json) {
  check_standard_output(flags.output, json);
  const std::vector<std::string>& paths = flags.fit.input.paths;
  if (std::find(paths.begin(), paths.end(), "-") != paths.end()) {
    throw InvalidOption(
        "align reads its table twice, which a pipe cannot do; write it to a file first, or use "
        "conflux fit - and conflux transform.");
  }
  ResultFiles results = results_of_fit(flags.fit, flags.output.force);
  add_table_outputs(results, flags.output, paths);
  results.add(flags.model, FileKind::kModel);
  add_report(results, flags.report, flags.fit);
  add_watch(results, flags.fit.watch);
}

// Columns beside the features are copied as they are spelled.
std::vector<std::string> spelled_columns(const Model& model) {
  std::vector<std::string> out;
  for (const CarriedColumn& column : model.columns.carried) out.push_back(column.name);
  for (const Feature& feature : model.columns.features) {
    if (feature.category()) out.push_back(feature.name);
  }
  return out;
}

Index write_table(const Model& model, const AlignFlags& flags, bool leave, const FitRun& run,
                  const Console& console) {
  const GroupedInputFlags& input = flags.fit.input;
  const ApplyFlags apply{.direction = leave              ? std::optional<Direction>()
                                      : flags.to.empty() ? Direction::kToShared
                                                         : Direction::kBetweenGroups,
                         .model = flags.model,
                         .inputs = input.paths,
                         .table = input.table,
                         .output = flags.output,
                         .columns = {.group = input.group,
                                     .features = {},
                                     .from = {},
                                     .rename = input.rename,
                                     .meta = input.meta,
                                     .meta_key = input.meta_key},
                         .to = flags.to,
                         .expression = flags.expression,
                         .threads = run.options().threads};
  const bool one_by_one = input.meta.empty() || input.paths.size() == 1 || flags.expression;
  if (one_by_one) return move_tables(model, apply, console).rows;
  TableFiles all{.options = dataset_options(input),
                 .text = spelled_columns(model),
                 .components = components_of(model)};
  all.options.where.clear();
  all.options.fit_rows = {};
  all.options.group = model.group_column;
  return move_table(model, read_rows(all, shown_on(console)), apply, console);
}

// The model is on the disk before the table replaces an older one, and gets its name afterwards.
Index write_both(const Model& model, const AlignFlags& flags, bool leave, const FitRun& run,
                 const Console& console) {
  if (flags.model.empty()) return write_table(model, flags, leave, run, console);
  const std::unique_ptr<AtomicFile> staged = stage_model(flags.model, model);
  const Index rows = write_table(model, flags, leave, run, console);
  try {
    staged->commit();
  } catch (const Error& error) {
    throw Error(
        fmt::format("{} The table {} is written and belongs to the model that is lost; "
                    "run the command again.",
                    error.what(), flags.output.path));
  }
  return rows;
}

std::string where_to(const AlignFlags& flags, bool left) {
  if (left) return "as they were";
  return flags.to.empty() ? "in the shared space"
                          : fmt::format("as if all were of group \"{}\"", flags.to);
}

void run_align(const AlignFlags& flags, const Console& console) {
  check_files(flags, console.json);
  const Stopwatch watch;
  FitRun run(flags.fit, console);
  const Aligned done = run.align(flags.to);
  const Model& model = done.model;
  const bool left = !done.check.differ;
  const Index rows = write_both(model, flags, left, run, console);
  console.info(fmt::format("{}: {} rows {}, in {:.1f} s{}", flags.output.path, rows,
                           where_to(flags, left), watch.seconds(),
                           flags.model.empty() ? "" : "; the model is " + flags.model));
  tell_summary(model, flags.model, flags.fit, console);
  report_on_fit(flags.report, model, flags.model, run, flags.fit, console);
  run.finish_watch(model);
  if (!console.json) return;
  Json out = fit_json(model, flags.model);
  out["output"] = flags.output.path;
  out["rows"] = rows;
  out["check"] = check_json(done.check, model.flow.group_names(), model.feature_names, "");
  print_json(out);
}

// Options for a first user; all further options of fit are for experts here.
std::vector<Flag> common_fit_flags(FitFlags& fit) {
  const std::vector<std::string> common = {"INPUT",  "--group",     "--label",  "--features",
                                           "--drop", "--keep",      "--scale",  "--missing",
                                           "--as",   "--fit-where", "--method", "--gate",
                                           "--seed", "--threads",   "--format", "--no-header"};
  std::vector<Flag> out = fit_flags(fit);
  for (Flag& flag : out) {
    const std::string name = flag.positional() ? flag.names : flag.name();
    if (std::find(common.begin(), common.end(), name) == common.end()) {
      flag.shown = Shown::kToExperts;
    }
  }
  return out;
}

void set_unseen(double& unseen, const std::string& text) {
  std::size_t end = 0;
  try {
    unseen = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  if (end == 0 || end != text.size() || !(unseen >= 0 && unseen < 1)) {
    throw InvalidOption(
        fmt::format("--unseen is \"{}\"; give a fraction from 0 to below 1, say 0.2.", text));
  }
}

}  // namespace

Verb align_verb() {
  const auto flags = std::make_shared<AlignFlags>();
  flags->fit.unseen = 0.2;
  flags->fit.verb = "align";
  Verb verb{.name = "align",
            .description = "align a table: check, fit, score on rows held out, write aligned rows",
            .example = "conflux align cells.csv --group batch --label cell_type -o aligned.csv",
            .run = [flags](const Console& console) { run_align(*flags, console); }};
  verb.add(common_fit_flags(flags->fit));
  verb.add(output_flags(flags->output));
  verb.add({{.names = "--model",
             .value = "MODEL",
             .help = "also write the model, which moves new rows",
             .target = &flags->model},
            {.names = "--to",
             .value = "GROUP",
             .help = "write all rows as if they were of this group [in the shared space]",
             .target = &flags->to},
            {.names = "--expression",
             .help = "with --pca: write genes, corrected through the components",
             .target = &flags->expression,
             .shown = Shown::kToExperts},
            {.names = "--unseen",
             .value = "SHARE",
             .help = "fraction of each group held out of the fit as test rows [0.2]",
             .target = [flags](const std::string& text) { set_unseen(flags->fit.unseen, text); }},
            report_flag(flags->report)});
  verb.add(watch_flags(flags->fit.watch));
  verb.complete = [flags](std::vector<std::string> words, const std::vector<Flag>& known) {
    return complete_fit(flags->fit, std::move(words), known);
  };
  return verb;
}

}  // namespace conflux::app

// conflux fit: learns the maps.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "comm/agreement.h"
#include "conflux/storage/model_file.h"
#include "file_checks.h"
#include "fit_run.h"
#include "matched_clusters.h"
#include "processes.h"
#include "record_json.h"
#include "report_page.h"
#include "row_free_run.h"
#include "verbs.h"

namespace conflux::app {

namespace {

struct FitVerbFlags {
  FitFlags fit;
  std::string output;
  std::string report;
  std::string share = "rows";
};

void check_files(const FitVerbFlags& flags) {
  ResultFiles results = results_of_fit(flags.fit, flags.fit.force);
  results.add(flags.output, FileKind::kModel);
  add_report(results, flags.report, flags.fit);
}

// Every process writes a model of its own groups.
void run_row_free(const FitVerbFlags& flags, const Console& console) {
  do_together(processes(), [&] { check_files(flags); });
  const Model model = fit_row_free_groups(flags.fit);
  save_model(flags.output, model);
  console.info(fmt::format(
      "{}: {} layers for this process's groups ({}), whose rows were not shared", flags.output,
      model.record.layers.size(), fmt::join(model.flow.group_names(), ", ")));
  if (console.json) print_json(fit_json(model, flags.output));
}

void run_fit(const FitVerbFlags& flags, const Console& console) {
  if (flags.share == "summaries") return run_row_free(flags, console);
  do_together(processes(), [&] { check_files(flags); });
  FitRun run(flags.fit, console);
  // The others have read their share, which is now here; unless all fit where rows are.
  if (processes().rank() > 0 && !run.in_place()) return;
  const Model model = run.fit().model;
  if (processes().rank() > 0) return;
  save_model(flags.output, model);
  console.info(fmt::format("{}: {} layers for {} groups of {} features, fitted on {} in {:.2f} s",
                           flags.output, model.record.layers.size(), model.flow.num_groups(),
                           model.flow.dim(), rows_text(model.record), model.record.seconds));
  tell_summary(model, flags.output, flags.fit, console);
  // conflux align has printed it before the fit.
  for (const std::string& sentence : matched_clusters(model.record)) console.info(sentence);
  for (const std::string& line : run.picture()) console.info(line);
  report_on_fit(flags.report, model, flags.output, run, flags.fit, console);
  if (console.json) print_json(fit_json(model, flags.output));
}

}  // namespace

Verb fit_verb() {
  const auto flags = std::make_shared<FitVerbFlags>();
  Verb verb{.name = "fit",
            .description = "learn one invertible map per group and write the model",
            .example = "conflux fit cells.csv --group batch --label cell_type -o cells.conflux",
            .run = [flags](const Console& console) { run_fit(*flags, console); }};
  verb.add(fit_flags(flags->fit));
  verb.add(
      {{.names = "-o,--output",
        .value = "MODEL",
        .help = "model file to write",
        .target = &flags->output,
        .required = true},
       {.names = "--share",
        .value = "rows|summaries",
        .help = "what processes exchange; summaries: each process has its own groups, writes their "
                "model, and sends no row [rows]",
        .target = &flags->share,
        .choices = {"rows", "summaries"},
        .shown = Shown::kToExperts},
       report_flag(flags->report),
       force_flag(flags->fit.force)});
  verb.complete = [flags](std::vector<std::string> words, const std::vector<Flag>& known) {
    return complete_fit(flags->fit, std::move(words), known);
  };
  return verb;
}

}  // namespace conflux::app

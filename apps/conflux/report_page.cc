#include "report_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "core/stopwatch.h"
#include "dataset/model_dataset.h"
#include "files/whole_file.h"
#include "training/pool_draw.h"

namespace conflux::app {

Flag report_flag(std::string& path) {
  return {.names = "--report",
          .value = "FILE",
          .help = "also write a report: verdict, figures and pictures on one page",
          .target = &path};
}

void add_report(ResultFiles& results, const std::string& path, const FitFlags& fit) {
  if (path.empty()) return;
  const std::vector<std::string>& tables = fit.input.paths;
  if (std::find(tables.begin(), tables.end(), "-") != tables.end()) {
    throw InvalidOption(
        "--report reads the table once more, which a pipe cannot do; write it to a file first.");
  }
  results.add(path, FileKind::kPage);
}

void report_on_fit(const std::string& path, const Model& model, const std::string& model_path,
                   const FitRun& run, const FitFlags& fit, const Console& console) {
  if (path.empty()) return;
  const Stopwatch watch;
  GroupedInputFlags input = fit.input;
  // The model has the names of its features, and its columns.
  input.features.clear();
  input.threads = run.options().threads;
  // The rows that were drawn for the fit, or to judge it.
  input.fit_rows = rows_to_fit(run.options());
  input.seed = run.options().seed;
  const Dataset rows = read_dataset_for(model, dataset_options(input), {shown_on(console)});
  ReportOptions options{.seed = run.options().seed, .threads = run.options().threads};
  options.model_path = model_path;
  const std::string& name = fit.watch.shown_as;
  options.data_paths = name.empty() ? fit.input.paths : std::vector<std::string>{name};
  options.progress = [&](const std::string& what) { console.progress(what); };
  const Report report = make_report(model, rows.groups, options);
  console.finish_progress();
  write_report(path, report, watch.seconds(), console);
}

void write_report(const std::string& path, const Report& report, double seconds,
                  const Console& console) {
  replace_file(path, report_html(report));
  console.info(fmt::format("{}: {}, in {:.1f} s", path, name_of(report.verdict), seconds));
}

}  // namespace conflux::app

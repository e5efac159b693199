// conflux-reproduce: the paper's tables and figures, ours beside the published ones.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "core/stopwatch.h"
#include "reproduce/cells.h"
#include "reproduce/report.h"
#include "support/interrupt.h"
#include "support/program.h"

namespace conflux::app {

namespace {

struct ReproduceFlags {
  std::vector<std::string> names;
  std::string output;
  std::string data = "data";
  std::vector<std::string> only;
  std::string features_net;
  int runs = 0;
  int train_rows = 0;
  int test_rows = 0;
  bool quick = false;
  bool tiny = false;
  int threads = 0;
};

void print_list(bool json) {
  if (json) {
    Json out = Json::array();
    for (const Experiment& each : experiments()) {
      out.push_back({{"name", each.name}, {"title", each.title}});
    }
    print_json(out);
    return;
  }
  for (const Experiment& each : experiments()) {
    const bool images = set_info(each.sets.front()).images();
    const char* kind = each.kind == Experiment::Kind::kCurve ? "figure"
                       : images                              ? "table and sample images"
                                                             : "table and scatter figures";
    fmt::print("{:<14}{}: {}\n", each.name, each.title, kind);
  }
}

std::vector<const Experiment*> chosen_experiments(const std::vector<std::string>& names) {
  std::vector<const Experiment*> out;
  for (const std::string& name : names) {
    if (name == "all") {
      for (const Experiment& each : experiments()) out.push_back(&each);
    } else {
      out.push_back(&find_experiment(name));
    }
  }
  return out;
}

// The command line that makes these figures again.
std::string command_text(const Experiment& experiment, const ReproduceFlags& flags, int runs) {
  std::string out = "conflux reproduce " + experiment.name;
  if (experiment.repetitions == 0) out += fmt::format(" --runs {}", runs);
  if (flags.tiny) out += " --tiny";
  if (flags.quick) out += " --quick";
  if (flags.train_rows > 0) out += fmt::format(" --train-rows {}", flags.train_rows);
  if (flags.test_rows > 0) out += fmt::format(" --test-rows {}", flags.test_rows);
  if (!flags.features_net.empty() && set_info(experiment.sets.front()).images()) {
    out += " --features-net " + std::filesystem::path(flags.features_net).filename().string();
  }
  return out + " -o " + std::filesystem::path(flags.output).filename().string();
}

// Rows that are not asked for are shown as far as their cells are there.
std::vector<RowResult> run_cells(const Experiment& experiment, const Scale& scale, int runs,
                                 const std::vector<std::string>& only, CellRunner& runner) {
  std::vector<RowResult> results;
  for (const std::string& name : experiment.sets) {
    for (const RowSpec& row : experiment.rows) {
      const bool wanted =
          only.empty() || std::find(only.begin(), only.end(), row.label) != only.end();
      RowResult result{set_info(name), row, {}};
      for (int run = 0; run < num_runs(experiment, row, scale, runs); ++run) {
        const CellId id{experiment, result.set, row, run};
        if (wanted) {
          result.cells.push_back(runner.get(id));
        } else if (std::optional<Json> kept = runner.find(id)) {
          result.cells.push_back(*std::move(kept));
        }
      }
      if (!result.cells.empty()) results.push_back(std::move(result));
    }
  }
  return results;
}

// Names of rows that no chosen table has are mistakes.
void check_rows(const std::vector<std::string>& only,
                const std::vector<const Experiment*>& chosen) {
  std::vector<std::string> labels;
  for (const Experiment* each : chosen) {
    for (const RowSpec& row : each->rows) {
      if (std::find(labels.begin(), labels.end(), row.label) == labels.end()) {
        labels.push_back(row.label);
      }
    }
  }
  for (const std::string& name : only) {
    if (std::find(labels.begin(), labels.end(), name) == labels.end()) {
      throw InvalidOption(unknown_name("row", name, labels));
    }
  }
}

// Cells of other numbers of rows are others.
Scale scale_of(const ReproduceFlags& flags) {
  Scale out = flags.tiny ? tiny_scale() : flags.quick ? quick_scale() : Scale();
  if (flags.train_rows > 0) out.train_rows = flags.train_rows;
  if (flags.test_rows > 0) out.test_rows = flags.test_rows;
  if (flags.train_rows > 0 || flags.test_rows > 0) {
    out.name += fmt::format(", {} and {} rows", out.train_rows, out.test_rows);
  }
  return out;
}

void run_reproduce(const ReproduceFlags& flags, const Console& console) {
  if (flags.names == std::vector<std::string>{"list"}) return print_list(console.json);
  const auto chosen = chosen_experiments(flags.names);
  if (flags.output.empty()) {
    throw InvalidOption("where to? Name a folder for tables and figures with -o DIR.");
  }
  check_rows(flags.only, chosen);
  const Scale scale = scale_of(flags);
  const int runs = flags.runs > 0 ? flags.runs : scale.runs;
  DataSource data(flags.data, scale);
  for (const Experiment* each : chosen) {
    for (const std::string& set : each->sets) data.provide(set_info(set), console);
  }
  catch_interrupts();
  const std::filesystem::path folder = flags.output;
  CellRunner runner(folder / "cells", data, scale, flags.threads, flags.features_net, console);
  const Stopwatch watch;
  Json written = Json::array();
  for (const Experiment* each : chosen) {
    std::vector<RowResult> results;
    try {
      results = run_cells(*each, scale, runs, flags.only, runner);
    } catch (const Interrupted&) {
      throw Interrupted("interrupted; what was measured is kept, and the same command goes on.");
    }
    if (results.empty()) continue;
    write_report(*each, results, command_text(*each, flags, runs), folder);
    const std::string page = (folder / (each->name + ".md")).string();
    console.info(page);
    written.push_back(page);
  }
  if (console.json) {
    print_json({{"written", written},
                {"measured_cells", runner.num_measured()},
                {"seconds", watch.seconds()}});
  }
}

Verb reproduce_verb() {
  const auto flags = std::make_shared<ReproduceFlags>();
  Verb verb{.name = "",
            .description = "make the paper's tables and figures again",
            .example = "conflux reproduce planar2 mnist2 --runs 3 -o results",
            .run = [flags](const Console& console) { run_reproduce(*flags, console); }};
  verb.add({{.names = "NAME",
             .help = "tables and figures, all, or list to see names",
             .target = &flags->names,
             .required = true},
            {.names = "-o,--output",
             .value = "DIR",
             .help = "folder to write; a second start goes on",
             .target = &flags->output},
            {.names = "--runs",
             .value = "N",
             .help = "fits per line of a table [5; --quick: 2]",
             .target = &flags->runs,
             .least = 1,
             .most = 1000},
            {.names = "--quick",
             .help = "thinned data: minutes, not to be compared",
             .target = &flags->quick},
            {.names = "--data",
             .value = "DIR",
             .help = "folder of images, fetched if absent [data]",
             .target = &flags->data},
            {.names = "--features-net",
             .value = "FILE.npz",
             .help = "look at images through this network, too",
             .target = &flags->features_net},
            threads_flag(flags->threads),
            {.names = "--only",
             .value = "ROW",
             .help = "fit this row of a table only (may be repeated); others are shown if they are "
                     "there",
             .target = &flags->only,
             .repeated = true,
             .shown = Shown::kToExperts},
            {.names = "--train-rows",
             .value = "N",
             .help = "fit this many rows of each group at most, and say so",
             .target = &flags->train_rows,
             .least = 20,
             .most = 1'000'000,
             .shown = Shown::kToExperts},
            {.names = "--test-rows",
             .value = "N",
             .help = "judge by this many rows of each group at most, and say so",
             .target = &flags->test_rows,
             .least = 20,
             .most = 1'000'000,
             .shown = Shown::kToExperts},
            {.names = "--tiny",
             .help = "a few dozen rows, to see that the command works",
             .target = &flags->tiny,
             .shown = Shown::kToExperts}});
  return verb;
}

}  // namespace

}  // namespace conflux::app

int main(int argc, char** argv) {
  using namespace conflux::app;
  const Program program{.name = "conflux-reproduce",
                        .description = "makes the tables and figures of the paper again",
                        .version = CONFLUX_VERSION,
                        .verbs = {reproduce_verb()}};
  return run_program(program, argc, argv);
}

// conflux transform, inverse and translate.

#include <fmt/format.h>

#include <array>
#include <memory>

#include "apply.h"
#include "comm/agreement.h"
#include "conflux/core/error.h"
#include "conflux/storage/model_file.h"
#include "core/stopwatch.h"
#include "file_checks.h"
#include "output_files.h"
#include "processes.h"
#include "support/interrupt.h"
#include "support/program.h"
#include "verbs.h"

namespace conflux::app {

namespace {

void run_apply(const ApplyFlags& flags, const Console& console) {
  Communicator& comm = processes();
  if (comm.size() > 1 && !goes_to_folder(flags.output)) {
    throw InvalidOption(
        "several processes move some of the files each, into a folder; name one with -o FOLDER/, "
        "or start one process.");
  }
  check_standard_output(flags.output, console.json);
  check_model_comes_first(flags.model, flags.inputs.front());
  std::vector<std::string> inputs = flags.inputs;
  inputs.insert(inputs.end(), {flags.model, flags.columns.meta});
  // All processes check before one of them writes.
  do_together(comm, [&] {
    ResultFiles results(inputs, flags.output.force);
    add_table_outputs(results, flags.output, flags.inputs);
  });
  const Stopwatch watch;
  std::array<double, 2> all{};  // rows, inexact ones
  do_together(comm, [&] {
    Model model = load_model(flags.model);
    if (flags.amount) set_amount(model, *flags.amount);
    catch_interrupts();
    const MovedRows moved = move_tables(model, flags, console);
    all = {static_cast<double>(moved.rows), static_cast<double>(moved.inexact)};
  });
  comm.sum(all);
  const auto rows = static_cast<Index>(all[0]), inexact = static_cast<Index>(all[1]);
  console.info(fmt::format("{}: {} rows in {:.2f} s", flags.output.path, rows, watch.seconds()));
  if (console.json) {
    print_json({{"output", flags.output.path},
                {"rows", rows},
                {"inexact_rows", inexact},
                {"seconds", watch.seconds()}});
  }
  if (inexact > 0) throw NotExact();
}

Verb apply_verb(std::optional<Direction> direction, const std::string& name,
                const std::string& description, const std::string& example) {
  const auto flags = std::make_shared<ApplyFlags>();
  flags->direction = direction;
  Verb verb{.name = name,
            .description = description,
            .example = example,
            .run = [flags](const Console& console) { run_apply(*flags, console); }};
  verb.add({{.names = "MODEL",
             .help = "model file that conflux fit wrote",
             .target = &flags->model,
             .required = true},
            {.names = "INPUT",
             .help = "tables to read; - is standard input",
             .target = &flags->inputs,
             .required = true}});
  verb.add(output_flags(flags->output));
  if (direction == Direction::kToShared) {
    verb.add(
        {.names = "--log-density",
         .help = "dd: add a column log_density, the log density of each row under its own group",
         .target = &flags->log_density});
  } else {
    verb.add({.names = "--to",
              .value = "GROUP",
              .help = direction == Direction::kFromShared
                          ? "group to map the rows back into [each row's own]"
                          : "group to map the rows into",
              .target = &flags->to,
              .required = direction == Direction::kBetweenGroups});
  }
  if (direction != Direction::kFromShared) {
    verb.add({.names = "--expression",
              .help = "models with --pca: write corrected genes instead of components; the part of "
                      "a gene that the components do not explain stays",
              .target = &flags->expression});
  }
  verb.add({.names = "--from",
            .value = "GROUP",
            .help = "group of all rows, if no column names it",
            .target = &flags->columns.from});
  verb.add(amount_flag(flags->amount));
  verb.add(column_flags(flags->columns));
  verb.add(threads_flag(flags->threads));
  verb.add(input_flags(flags->table));
  return verb;
}

}  // namespace

Verb transform_verb() {
  return apply_verb(Direction::kToShared, "transform", "move rows into the shared space",
                    "conflux transform cells.conflux new_cells.csv -o aligned.csv");
}

Verb inverse_verb() {
  return apply_verb(Direction::kFromShared, "inverse", "move rows of the shared space into a group",
                    "conflux inverse cells.conflux aligned.csv --to batch2 -o as_batch2.csv");
}

Verb translate_verb() {
  return apply_verb(Direction::kBetweenGroups, "translate",
                    "show rows of any group as if of another",
                    "conflux translate cells.conflux cells.csv --to batch2 -o as_batch2.csv");
}

}  // namespace conflux::app

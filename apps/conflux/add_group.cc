// conflux add-group: maps of groups that the fit has not seen.

#include "conflux/training/add_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "conflux/core/error.h"
#include "conflux/storage/model_file.h"
#include "conflux/tables/table_groups.h"
#include "file_checks.h"
#include "model_columns.h"
#include "table_flags.h"
#include "verbs.h"

namespace conflux::app {

namespace {

struct AddGroupFlags {
  std::string model;
  std::string input;
  std::string output;
  std::string name;
  InputFlags table;
  ColumnFlags columns;
  int threads = 0;
  bool force = false;
};

Table read_with(const Model& model, const AddGroupFlags& flags) {
  TableOptions options = read_options(
      flags.table, flags.columns.group.empty() ? model.group_column : flags.columns.group,
      flags.threads);
  options.numeric = numeric_columns(model, flags.columns);
  return read_table(flags.input, options);
}

/// The groups of the table, or all of it as one group.
GroupSet new_groups(const Model& model, const Table& table, const AddGroupFlags& flags) {
  ColumnFlags columns = flags.columns;
  columns.from = flags.name;
  const ModelColumns found =
      find_columns(table.schema(), flags.input, model, columns, flags.name.empty());
  if (found.group.empty()) {
    GroupSet out;
    out.add(flags.name, features_of(table, found.features));
    return out;
  }
  return groups_from_table(table, {.group = found.group, .features = found.features}).groups;
}

void run_add_group(const AddGroupFlags& flags, const Console& console) {
  check_model_comes_first(flags.model, flags.input);
  check_output(flags.output, FileKind::kModel, {flags.model, flags.input}, flags.force);
  const Workers workers(flags.threads);
  Model model = load_model(flags.model);
  const GroupSet groups = new_groups(model, read_with(model, flags), flags);
  check_names(groups);
  std::vector<std::string> added;
  std::vector<std::string> known;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const auto& names = model.flow.group_names();
    if (flags.name.empty() &&
        std::find(names.begin(), names.end(), groups[m].name) != names.end()) {
      known.push_back(groups[m].name);
      continue;
    }
    model = add_group(model, groups[m].name, groups[m].rows, groups[m].weights, workers);
    added.push_back(groups[m].name);
  }
  if (added.empty()) {
    throw InvalidOption(
        fmt::format("{}: the model knows every group in it; give rows of a new group, or call them "
                    "by --name.",
                    flags.input));
  }
  for (const std::string& name : known) {
    console.info(fmt::format("the model knows group \"{}\" already; its rows were not used", name));
  }
  save_model(flags.output, model);
  for (const std::string& name : added) {
    console.info(fmt::format("{}: added group \"{}\"", flags.output, name));
  }
  if (console.json) {
    print_json({{"model", flags.output}, {"added", added}, {"groups", model.flow.group_names()}});
  }
}

}  // namespace

Verb add_group_verb() {
  const auto flags = std::make_shared<AddGroupFlags>();
  Verb verb{.name = "add-group",
            .description = "fit maps of a new group; those of the old ones stay as they are",
            .example = "conflux add-group cells.conflux batch9.csv --name batch9 -o cells9.conflux",
            .run = [flags](const Console& console) { run_add_group(*flags, console); }};
  verb.add({{.names = "MODEL",
             .help = "model file that conflux fit wrote",
             .target = &flags->model,
             .required = true},
            {.names = "INPUT",
             .help = "table with rows of the new group",
             .target = &flags->input,
             .required = true},
            {.names = "-o,--output",
             .value = "MODEL2",
             .help = "model file to write",
             .target = &flags->output,
             .required = true},
            {.names = "--name",
             .value = "GROUP",
             .help = "all rows are of a new group of this name",
             .target = &flags->name},
            force_flag(flags->force)});
  verb.add(column_flags(flags->columns));
  verb.add(threads_flag(flags->threads));
  verb.add(input_flags(flags->table));
  return verb;
}

}  // namespace conflux::app

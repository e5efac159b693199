// conflux add-group: maps of groups that the fit has not seen.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "conflux/columns/find_columns.h"
#include "conflux/core/error.h"
#include "conflux/model/model.h"
#include "conflux/storage/model_file.h"
#include "conflux/tables/table_groups.h"
#include "dataset/group_names.h"
#include "dataset/model_table.h"
#include "dataset/table_files.h"
#include "file_checks.h"
#include "grouped_input.h"
#include "judging/new_rows.h"
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
  ModelColumnChoice columns;
  int threads = 0;
  bool force = false;
};

/// Rows of each group of a table, with the names of the model's features.
struct NewRows {
  std::vector<std::string> names;
  std::vector<Table> tables;
  std::vector<std::string> features;
};

NewRows read_with(const Model& model, const AddGroupFlags& flags) {
  const Table table =
      open_rows(
          flags.input,
          options_for_model(model, read_options(flags.table, "", flags.threads), flags.columns),
          &model.components)
          ->read_rest();
  ModelColumnChoice columns = flags.columns;
  columns.from = flags.name;
  const ModelColumns found =
      find_model_columns(table.schema(), flags.input, model, columns, flags.name.empty());
  NewRows out;
  out.features = found.features;
  if (found.group.empty()) {
    out.names = {flags.name};
    out.tables = {table};
    return out;
  }
  const NumberedGroups groups(groups_from_columns(table, found.group));
  out.names = groups.names;
  for (const std::vector<Index>& rows : groups.rows) out.tables.push_back(table.rows(rows));
  return out;
}

/// A model of columns learns what the group holds; another one takes its features as they are.
Model with_group(const Model& model, const std::string& name, Table table,
                 const std::vector<std::string>& features, const Workers& workers) {
  if (model.columns.empty()) {
    return add_group(model, name, features_of(table, features), {}, workers);
  }
  for (std::size_t j = 0; j < features.size(); ++j) {
    table.columns[table.find(features[j])].name = model.columns.features[j].name;
  }
  return add_group(model, name, table, workers);
}

/// Warnings about the rows of a group before and after its maps were fitted.
std::vector<std::string> doubts_about(const Model& model, const std::string& name, Table table,
                                      const std::vector<std::string>& features,
                                      const Workers& workers) {
  const Index group = model.flow.group_index(name);
  const std::vector<std::string> known = model.columns.feature_names();
  for (std::size_t j = 0; j < known.size(); ++j) {
    table.columns[table.find(features[j])].name = known[j];
  }
  Matrix rows =
      known.empty() ? features_of(table, features) : model.columns.coordinates(table, workers);
  if (!known.empty()) model.columns.fill_missing(Rows(rows), group);
  FarRows far;
  far.add(model.record.summary, rows);
  std::vector<std::string> out =
      doubts_about_new_group(name, rows, model.flow.forward(group, ConstRows(rows), workers),
                             model.feature_names, model.record.options.gate != Gating::kNone);
  if (std::string warning = far.warning(model.feature_names); !warning.empty()) {
    out.push_back(std::move(warning));
  }
  return out;
}

void run_add_group(const AddGroupFlags& flags, const Console& console) {
  check_model_comes_first(flags.model, flags.input);
  ResultFiles({flags.model, flags.input, flags.columns.meta}, flags.force)
      .add(flags.output, FileKind::kModel);
  const Workers workers(flags.threads);
  Model model = load_model(flags.model);
  const NewRows rows = read_with(model, flags);
  check_names(rows.names, {});
  std::vector<std::string> added;
  std::vector<std::string> known;
  std::vector<std::string> doubts;
  for (std::size_t m = 0; m < rows.names.size(); ++m) {
    const auto& names = model.flow.group_names();
    const std::string& name = rows.names[m];
    if (flags.name.empty() && std::find(names.begin(), names.end(), name) != names.end()) {
      known.push_back(name);
      continue;
    }
    model = with_group(model, name, rows.tables[m], rows.features, workers);
    added.push_back(name);
    for (std::string& doubt : doubts_about(model, name, rows.tables[m], rows.features, workers)) {
      doubts.push_back(std::move(doubt));
    }
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
  for (const std::string& doubt : doubts) console.warn(doubt);
  if (console.json) {
    print_json({{"model", flags.output},
                {"added", added},
                {"groups", model.flow.group_names()},
                {"warnings", doubts}});
  }
}

}  // namespace

Verb add_group_verb() {
  const auto flags = std::make_shared<AddGroupFlags>();
  Verb verb{
      .name = "add-group",
      .description =
          "add a group to a model: fit its maps, and leave those of the other groups unchanged",
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
             .help = "name of the new group, which all rows are of",
             .target = &flags->name},
            force_flag(flags->force)});
  verb.add(column_flags(flags->columns));
  verb.add(threads_flag(flags->threads));
  verb.add(input_flags(flags->table));
  return verb;
}

}  // namespace conflux::app

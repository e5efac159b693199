#include "dataset/model_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "columns/measured_scales.h"
#include "conflux/core/error.h"
#include "dataset/array_dataset.h"
#include "dataset/coordinate_dataset.h"
#include "dataset/data_warnings.h"
#include "dataset/group_column.h"
#include "dataset/model_table.h"
#include "dataset/numbered_rows.h"
#include "dataset/table_files.h"
#include "dataset/table_rows.h"

namespace conflux {

namespace {

// Columns that keep their spelling: categories, and the key.
std::vector<std::string> spelled_columns(const Columns& columns,
                                         const std::vector<std::string>& features) {
  std::vector<std::string> out;
  for (std::size_t j = 0; j < features.size(); ++j) {
    if (columns.features[j].category()) out.push_back(features[j]);
  }
  for (const Covariate& each : columns.kept) {
    if (each.category()) out.push_back(each.name);
  }
  if (!columns.key.empty()) out.push_back(columns.key);
  return out;
}

// Columns that stand for features may be called otherwise than the model calls them.
void give_names(Table& table, const std::vector<std::string>& features,
                const std::vector<std::string>& names) {
  std::vector<Index> places;
  places.reserve(features.size());
  for (const std::string& name : features) places.push_back(table.find(name));
  for (std::size_t j = 0; j < places.size(); ++j) table.columns[places[j]].name = names[j];
}

std::vector<Matrix> known_coordinates(const Model& model, const Table& table,
                                      const NumberedGroups& groups, const Workers& workers) {
  const Columns& columns = model.columns;
  std::vector<Matrix> out =
      columns.coordinates_of_groups(table, groups.of_row, groups.count(), workers);
  for (std::size_t m = 0; m < out.size(); ++m) {
    try {
      columns.fill_missing(Rows(out[m]), model.flow.group_index(groups.names[m]));
    } catch (const InvalidOption& error) {
      throw InvalidData(
          fmt::format("{}: {} A group that the model has not seen is added by conflux add-group.",
                      table.place(groups.rows[m].front()), error.what()));
    }
  }
  return out;
}

Dataset read_known_table(const Model& model, TableFiles files, const DatasetHooks& hooks) {
  const DatasetOptions& options = files.options;
  const Columns& columns = model.columns;
  refuse_several_readers(options, hooks);
  files.text = spelled_columns(columns, options.columns.features);
  TableRows rows = read_rows(files, hooks.on_message);
  give_names(rows.table, options.columns.features, columns.feature_names());
  const NumberedRows numbered(rows, options);
  const NumberedGroups& groups = numbered.groups;
  Dataset out;
  add_groups(out.groups, numbered.tags(),
             known_coordinates(model, rows.table, groups, Workers(options.threads)), groups.rows);
  out.groups.set_feature_names(columns.coordinate_names());
  out.groups.set_covariates(columns.num_covariates());
  out.groups.set_measured(measured_scales(columns));
  out.pool = pool_of(rows, groups.names, groups.rows);
  out.subjects = find_subjects(rows.table, columns, groups.rows);
  out.columns = columns;
  warn_about_data(columns, groups.names, hooks.on_message);
  return out;
}

}  // namespace

DatasetOptions options_for(const Model& model, DatasetOptions options) {
  if (options.group.empty()) options.group = model.group_column;
  const ModelColumnChoice columns{
      .group = options.group, .features = options.columns.features, .rename = options.rename};
  const std::string& first = options.paths.front();
  // Standard input can be read once, so its columns must have the names of the model.
  if (first == "-") {
    options.columns.features = feature_columns(model, columns);
    return options;
  }
  const TableFiles files{.options = options, .components = components_of(model)};
  // A table with more columns may tell the groups as well.
  const bool told_here =
      options.meta.empty() && (!options.group.empty() || options.paths.size() == 1);
  const TableSchema schema = schema_of(first, files);
  options.columns.features = find_model_columns(schema, first, model, columns, told_here).features;
  // The labels that the fit knew need not be named again. A file of a group may lack them.
  const bool has_labels =
      std::any_of(options.paths.begin(), options.paths.end(), [&](const std::string& path) {
        const TableSchema own = path == first ? schema : schema_of(path, files);
        const std::vector<std::string> labels = label_columns(model.label_column);
        return !labels.empty() &&
               std::all_of(labels.begin(), labels.end(),
                           [&](const std::string& label) { return has_column(own, label); });
      });
  if (options.label.empty() && has_labels) options.label = model.label_column;
  return options;
}

Dataset read_dataset_for(const Model& model, const DatasetOptions& options,
                         const DatasetHooks& hooks) {
  TableFiles files{.options = options_for(model, options), .components = components_of(model)};
  find_group_column(files, hooks);
  Dataset out = model.columns.empty() ? read_coordinates(files, hooks)
                                      : read_known_table(model, files, hooks);
  out.group_column = files.options.group;
  out.label_column = files.options.label;
  out.components = model.components;
  return out;
}

}  // namespace conflux

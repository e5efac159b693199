#include "model_input.h"

#include <algorithm>
#include <utility>

#include "component_input.h"
#include "model_columns.h"

namespace conflux::app {

namespace {

bool has_column(const TableSchema& schema, const std::string& name) {
  return std::any_of(schema.begin(), schema.end(),
                     [&](const ColumnInfo& column) { return column.name == name; });
}

}  // namespace

GroupedInputFlags completed(const Model& model, GroupedInputFlags input) {
  if (input.group.empty()) input.group = model.group_column;
  ColumnFlags columns{.group = input.group, .features = input.features, .rename = input.rename};
  const std::string& first = input.paths.front();
  // Standard input can be read once, so its columns must have the names of the model.
  if (first == "-") {
    input.features = feature_columns(model, columns);
  } else {
    TableOptions names = read_options(input.table, input.group, input.threads);
    names.numeric.emplace();
    // A table with more columns may tell the groups as well.
    const bool told_here = input.meta.empty() && (!input.group.empty() || input.paths.size() == 1);
    const auto reader = open_rows(first, names, &model.components);
    const TableSchema& schema = reader->schema();
    input.features = find_columns(schema, first, model, columns, told_here).features;
    // The labels that the fit knew need not be named again. A file of a group may lack them.
    const bool has_labels =
        std::any_of(input.paths.begin(), input.paths.end(), [&](const std::string& path) {
          return has_column(
              path == first ? schema : open_rows(path, names, &model.components)->schema(),
              model.label_column);
        });
    if (input.label.empty() && has_labels) input.label = model.label_column;
  }
  return input;
}

GroupedInput read_groups_for(const Model& model, GroupedInputFlags input, const Console& console) {
  return read_groups(completed(model, std::move(input)), console, &model);
}

}  // namespace conflux::app

#include "model_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "table_flags.h"

namespace conflux::app {

namespace {

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::vector<std::string> names_of(const TableSchema& schema) {
  std::vector<std::string> out;
  for (const ColumnInfo& column : schema) out.push_back(column.name);
  return out;
}

// c0, c1, ...: names that a file without names gets.
std::vector<std::string> unnamed(Index count) {
  std::vector<std::string> out;
  for (Index j = 0; j < count; ++j) out.push_back(fmt::format("c{}", j));
  return out;
}

std::vector<std::string> features_by_place(const TableSchema& schema, const std::string& group) {
  std::vector<std::string> out;
  for (const ColumnInfo& column : schema) {
    if (column.type == ColumnType::kNumeric && column.name != group) out.push_back(column.name);
  }
  return out;
}

std::string find_group_column(const std::vector<std::string>& names, const std::string& path,
                              const Model& model, const ColumnFlags& flags) {
  std::string wanted = flags.group.empty() ? model.group_column : flags.group;
  // A model of one file per group has no such column; tables of other verbs call it "group".
  if (wanted.empty()) wanted = "group";
  if (contains(names, wanted)) return wanted;
  const std::string why = unknown_name("column", wanted, names);
  throw InvalidOption(fmt::format(
      "{}: {} It tells the groups: name it with --group, or say --from GROUP if all rows are of "
      "one group.",
      path, why));
}

}  // namespace

std::vector<Flag> column_flags(ColumnFlags& flags) {
  return {
      group_flag(flags.group, "column that tells the groups [as when fitting]"),
      features_flag(flags.features, "columns of the features, in their order [as when fitting]")};
}

std::vector<std::string> numeric_columns(const Model& model, const ColumnFlags& flags) {
  if (!flags.features.empty()) return flags.features;
  return model.feature_names.empty() ? unnamed(model.flow.dim()) : model.feature_names;
}

ModelColumns find_columns(const TableSchema& schema, const std::string& path, const Model& model,
                          const ColumnFlags& flags, bool needs_group) {
  const std::vector<std::string> names = names_of(schema);
  ModelColumns out;
  if (needs_group && flags.from.empty()) out.group = find_group_column(names, path, model, flags);
  out.features = numeric_columns(model, flags);
  if (flags.features.empty() && !contains(names, out.features.front())) {
    const auto by_place = features_by_place(schema, out.group);
    if (by_place == unnamed(static_cast<Index>(by_place.size()))) out.features = by_place;
  }
  if (static_cast<Index>(out.features.size()) != model.flow.dim()) {
    throw InvalidOption(
        fmt::format("{}: {} features, but the model has {}; name them with --features.", path,
                    out.features.size(), model.flow.dim()));
  }
  for (const std::string& name : out.features) {
    if (!contains(names, name)) {
      throw InvalidOption(fmt::format("{}: {} The model was fitted on it.", path,
                                      unknown_name("column", name, names)));
    }
  }
  return out;
}

}  // namespace conflux::app

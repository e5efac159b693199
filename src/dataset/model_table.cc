#include "dataset/model_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "conflux/tables/table_groups.h"
#include "core/nearest_name.h"
#include "dataset/group_names.h"
#include "dataset/messages.h"
#include "dataset/name_patterns.h"
#include "dataset/table_files.h"

namespace conflux {

namespace {

bool is_listed(const std::vector<std::string>& list, const std::string& name) {
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

bool has_all(const std::vector<std::string>& names, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const std::string& name) { return is_listed(names, name); });
}

// Sets the column of the groups, or the one group that the file is called by.
void find_groups(ModelColumns& out, const std::vector<std::string>& names, const std::string& path,
                 const Model& model, const ModelColumnChoice& choice) {
  std::string wanted = choice.group.empty() ? model.group_column : choice.group;
  const std::string stem = renamed(stem_of(path), choice.rename);
  // A model of one file per group has no such column; tables of other verbs call it "group".
  if (wanted.empty()) wanted = "group";
  if (has_all(names, listed_names(wanted))) {
    out.group = wanted;
    return;
  }
  if (choice.group.empty() && is_listed(model.flow.group_names(), stem)) {
    out.from = stem;
    return;
  }
  std::vector<std::string> parts = listed_names(wanted);
  const auto unknown = std::find_if(
      parts.begin(), parts.end(), [&](const std::string& name) { return !is_listed(names, name); });
  throw InvalidOption(fmt::format(
      "{}: {} It tells the groups: name it with --group, or say --from GROUP if all rows are of "
      "one group{}.",
      path, unknown_name("column", *unknown, names),
      model.group_column.empty()
          ? fmt::format(", or --rename {}=GROUP if the file is one", stem_of(path))
          : ""));
}

}  // namespace

std::shared_ptr<const Components> components_of(const Model& model) {
  if (model.components.empty()) return nullptr;
  return {std::shared_ptr<const void>(), &model.components};
}

std::vector<std::string> feature_columns(const Model& model, const ModelColumnChoice& choice) {
  if (!choice.features.empty()) return choice.features;
  return model.feature_names.empty() ? unnamed(model.flow.dim()) : model.feature_names;
}

ModelColumns find_model_columns(const TableSchema& schema, const std::string& path,
                                const Model& model, const ModelColumnChoice& choice,
                                bool needs_group) {
  const std::vector<std::string> names = names_of(schema);
  ModelColumns out;
  out.from = choice.from;
  if (needs_group && choice.from.empty()) find_groups(out, names, path, model, choice);
  out.features = feature_columns(model, choice);
  if (choice.features.empty() && !is_listed(names, out.features.front())) {
    const auto by_place = features_by_place(schema, out.group);
    const bool nameless = by_place == unnamed(static_cast<Index>(by_place.size()));
    if (nameless && !by_place.empty()) out.features = by_place;
  }
  const Index wanted = model.flow.dim() - model.columns.num_covariates();
  if (static_cast<Index>(out.features.size()) != wanted) {
    throw InvalidOption(
        fmt::format("{}: {} features, but the model has {}; name them with --features.", path,
                    out.features.size(), wanted));
  }
  for (const std::string& name : out.features) {
    if (!is_listed(names, name)) {
      throw InvalidOption(fmt::format("{}: {} The model was fitted on it.", path,
                                      unknown_name("column", name, names)));
    }
  }
  for (const Covariate& each : model.columns.kept) {
    if (is_listed(names, each.name)) continue;
    throw InvalidOption(fmt::format(
        "{}: {} The model was fitted with it kept (--keep): give the column, with empty cells "
        "where it is not known.",
        path, unknown_name("column", each.name, names)));
  }
  return out;
}

TableOptions options_for_model(const Model& model, TableOptions options,
                               const ModelColumnChoice& choice) {
  // With a joined table the groups are usually there; an array of groups is not read then.
  options.group.clear();
  if (choice.meta.empty()) options.group = choice.group.empty() ? model.group_column : choice.group;
  options.numeric = feature_columns(model, choice);
  // Also in the shared space, where a category that the fit has not seen is carried as a text.
  if (options.numeric->size() != model.columns.features.size()) return options;
  std::vector<std::string> numbers;
  for (std::size_t j = 0; j < options.numeric->size(); ++j) {
    if (!model.columns.features[j].category()) numbers.push_back((*options.numeric)[j]);
  }
  for (const Covariate& each : model.columns.kept) {
    if (!each.category()) numbers.push_back(each.name);
  }
  options.numeric = numbers;
  return options;
}

ModelReader::ModelReader(std::string path, const Model& model, const TableOptions& table,
                         const ModelColumnChoice& choice, const ReadingFor& purpose)
    : path_(std::move(path)), model_(model), choice_(choice), purpose_(purpose) {
  reader_ = open_rows(path_, options_for_model(model, table, choice), &model.components);
  projected_ = dynamic_cast<const ProjectedReader*>(reader_.get());
  join_columns();
  columns_ = find_model_columns(schema_, path_, model, choice, purpose.needs_group);
  const std::vector<std::string> names = names_of(schema_);
  const std::string& key = model.columns.key;
  if (!purpose.shared && !key.empty() && !is_listed(names, key)) {
    throw InvalidOption(fmt::format("{}: {} The model was fitted with it as the key of the rows.",
                                    path_, unknown_name("column", key, names)));
  }
  if (!purpose.needs_group && choice.from.empty()) {
    // A row that returns to its own group has the values it had; the table may have its group.
    const std::string& known = choice.group.empty() ? model.group_column : choice.group;
    if (!known.empty() && has_all(names, listed_names(known))) {
      columns_.group = known;
    }
  }
}

void ModelReader::join_columns() {
  schema_ = reader_->schema();
  if (choice_.meta.empty()) return;
  JoinedTypes types;
  types.numbers = options_for_model(model_, {}, choice_).numeric;
  meta_ = std::make_unique<JoinedTable>(choice_.meta, choice_.meta_key, std::move(types), 0);
  Table none;
  for (const ColumnInfo& column : schema_) {
    none.columns.push_back({column.name, column.type, {}, {}});
  }
  none.source = path_;
  meta_->join(none, 0);
  schema_ = none.schema();
}

void ModelReader::drop_joined(Table& block) const {
  if (!meta_) return;
  const std::vector<std::string> own = names_of(reader_->schema());
  std::erase_if(block.columns, [&](const Column& column) {
    return meta_->table().has(column.name) && !is_listed(own, column.name);
  });
}

void ModelReader::check_end() const {
  if (!meta_) return;
  const std::string whose = purpose_.rows_before > 0 ? "all up to " + path_ : path_;
  meta_->check_rows(purpose_.rows_before + rows_, whose);
}

bool ModelReader::read(Table& block, Index max_rows) const {
  if (!reader_->read(block, max_rows)) return false;
  if (meta_) meta_->join(block, purpose_.rows_before + rows_);
  rows_ += block.num_rows();
  if (!purpose_.shared) count_new_categories(block);
  return true;
}

std::vector<Index> ModelReader::groups_of(const Table& block) const {
  const Flow& flow = model_.flow;
  const auto rows = static_cast<std::size_t>(block.num_rows());
  if (columns_.group.empty()) {
    return std::vector<Index>(rows, columns_.from.empty() ? -1 : flow.group_index(columns_.from));
  }
  const std::vector<std::string> names = groups_from_columns(block, columns_.group);
  std::map<std::string, Index> known;
  std::vector<Index> out;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto [found, is_new] = known.try_emplace(names[i], -1);
    if (is_new) {
      const std::string name = renamed(names[i], choice_.rename);
      if (purpose_.needs_group || is_listed(flow.group_names(), name)) {
        try {
          found->second = flow.group_index(name);
        } catch (const InvalidOption& error) {
          throw InvalidData(fmt::format(
              "{}: {} A group that the model has not seen is added by conflux add-group.",
              block.place(static_cast<Index>(i)), error.what()));
        }
      }
    }
    out.push_back(found->second);
  }
  return out;
}

void ModelReader::count_new_categories(const Table& block) const {
  if (model_.columns.empty()) return;
  for (const auto& [what, rows] : model_.columns.new_categories(block, columns_.features)) {
    new_categories_[what] += rows;
  }
  for (const auto& [name, rows] : model_.columns.unknown_covariates(block)) {
    unknown_covariates_[name] += rows;
  }
  for (const auto& [what, rows] : model_.columns.far_covariates(block)) {
    far_covariates_[what] += rows;
  }
}

void ModelReader::warn_about_new_categories(const MessageCallback& on_message) const {
  for (const auto& [what, rows] : new_categories_) {
    warn(on_message, fmt::format("{}: the fit has not seen {} ({} rows); it is left as it is, and "
                                 "its rows move as if it "
                                 "were missing",
                                 path_, what, rows));
  }
  for (const auto& [name, rows] : unknown_covariates_) {
    warn(on_message,
         fmt::format("{}: {} of {} rows have no \"{}\" that the fit knows; they are moved "
                     "with its mean in their group",
                     path_, rows, rows_, name));
  }
  for (const auto& [what, rows] : far_covariates_) {
    warn(on_message, fmt::format("{}: {} of {} rows have {}, the range of the fit: its effect is "
                                 "extrapolated there",
                                 path_, rows, rows_, what));
  }
}

}  // namespace conflux

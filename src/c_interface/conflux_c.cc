#include "conflux/conflux_c.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <sstream>

#include "c_interface/levels.h"
#include "conflux/aligning/align.h"
#include "conflux/core/error.h"
#include "conflux/dataset/dataset.h"
#include "conflux/model/table_mover.h"
#include "conflux/storage/model_file.h"
#include "conflux/tables/table.h"
#include "files/file_kind.h"

struct conflux_table {
  /// Columns of text hold positions among their levels until the table is fitted.
  conflux::Table table;
  conflux::Levels levels;
  std::vector<std::string> group_of_row;
};

struct conflux_model {
  conflux::Model model;
  /// Columns of the rows that are moved: features and copied columns.
  std::vector<std::string> columns;
  conflux::Levels levels;
  std::string summary;
};

namespace conflux {

namespace {

// Columns of the table that was fitted, which the model file keeps as text.
constexpr const char* kColumns = "c_columns";
// The texts of a column that callers give as positions; the name of the column follows.
const std::string kLevels = "c_levels ";

std::string& last_error() {
  thread_local std::string text;
  return text;
}

// Runs what may throw, which must not reach C.
template <class Work, class Result>
Result guarded(const Work& work, Result failed) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    last_error() = "there is not enough memory; give fewer rows.";
  } catch (const std::exception& error) {
    last_error() = error.what();
  }
  return failed;
}

void require(bool is_there, const char* what) {
  if (!is_there) throw InvalidOption(fmt::format("{} is missing.", what));
}

Table rows_table(const std::vector<std::string>& columns, const double* rows, Index count) {
  Table out;
  const auto width = static_cast<Index>(columns.size());
  for (Index j = 0; j < width; ++j) {
    std::vector<double> numbers(static_cast<std::size_t>(count));
    for (Index i = 0; i < count; ++i) numbers[i] = rows[i * width + j];
    out.add(columns[static_cast<std::size_t>(j)], std::move(numbers));
  }
  return out;
}

struct Options {
  DatasetOptions data = {.group = "group"};
  AlignOptions align = {.unseen = 0};
};

// Options are separated by blanks, or, if a value has blanks, by line breaks.
Options options_from(const char* text) {
  Options out;
  const std::string all = text == nullptr ? "" : text;
  const bool lines = all.find('\n') != all.npos;
  std::istringstream words(all);
  const auto next = [&](std::string& word) {
    return lines ? static_cast<bool>(std::getline(words, word)) : static_cast<bool>(words >> word);
  };
  for (std::string word; next(word);) {
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    if (equals == word.npos) {
      throw InvalidOption(fmt::format("the option is \"{}\"; write name=value.", word));
    }
    set_option(out.data, out.align, word.substr(0, equals), word.substr(equals + 1));
  }
  return out;
}

std::string summary_of(const FitRecord& record) {
  std::string out;
  for (const auto* sentences : {&record.summary.sentences, &record.warnings}) {
    for (const std::string& sentence : *sentences) out += (out.empty() ? "" : "\n") + sentence;
  }
  return out;
}

std::unique_ptr<conflux_model> fit_table(const conflux_table& data, const Options& options) {
  auto out = std::make_unique<conflux_model>();
  out->columns = data.table.names();
  out->levels = data.levels;
  Table table = data.table;
  spell(table, data.levels);
  if (table.has(options.data.group)) {
    throw InvalidOption(fmt::format(
        "the table has a column \"{0}\", which is what the column of the groups is called; choose "
        "another name for that, say group=batch.",
        options.data.group));
  }
  table.add(options.data.group, data.group_of_row);
  const std::string& label = options.data.label;
  std::erase(out->columns, label);
  std::erase(out->columns, options.data.row_weights);
  out->model = fit_model(dataset_of(table, options.data), options.align).model;
  for (const std::string& name : out->columns) out->model.metadata[kColumns] += name + "\n";
  for (const auto& [name, texts] : out->levels) {
    if (name == label) continue;
    for (const std::string& text : texts) out->model.metadata[kLevels + name] += text + "\n";
  }
  out->levels.erase(label);
  out->summary = summary_of(out->model.record);
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out.push_back(line);
  return out;
}

std::vector<std::string> columns_of(const Model& model) {
  const auto kept = model.metadata.find(kColumns);
  return kept == model.metadata.end() ? model.feature_names : lines_of(kept->second);
}

Levels levels_of(const Model& model) {
  Levels out;
  for (const auto& [key, text] : model.metadata) {
    if (key.starts_with(kLevels)) out[key.substr(kLevels.size())] = lines_of(text);
  }
  return out;
}

void move_rows(const conflux_model& from, Direction direction, const char* group, const char* to,
               double* rows, Index count) {
  const Model& model = from.model;
  const Workers workers;
  const auto n = static_cast<std::size_t>(count);
  const std::vector<Index> groups(n, model.flow.group_index(group));
  const std::vector<Index> there(to == nullptr ? groups
                                               : std::vector<Index>(n, model.flow.group_index(to)));
  if (model.columns.empty()) {
    const Rows all(rows, count, model.flow.dim());
    return model.flow.move(ConstRows(all), route_of(direction, groups, there), all, nullptr,
                           workers);
  }
  Table table = rows_table(from.columns, rows, count);
  // In the shared space categories are numbers.
  Levels spelled = from.levels;
  if (direction == Direction::kFromShared) {
    for (const std::string& feature : model.feature_names) spelled.erase(feature);
  }
  spell(table, spelled);
  TableMover(model, workers).move(direction, table, groups, there);
  unspell(table, from.levels);
  const auto width = static_cast<Index>(from.columns.size());
  for (Index j = 0; j < width; ++j) {
    for (Index i = 0; i < count; ++i) rows[i * width + j] = table.columns[j].numbers[i];
  }
}

int moved(const conflux_model* model, Direction direction, const char* group, const char* to,
          double* rows, std::int64_t count) {
  return guarded(
      [&] {
        require(model != nullptr, "the model");
        require(group != nullptr && (direction != Direction::kBetweenGroups || to != nullptr),
                "the name of a group");
        require(rows != nullptr && count >= 0, "the array of rows");
        if (count > 0) move_rows(*model, direction, group, to, rows, count);
        return 1;
      },
      0);
}

const char* name_at(const std::vector<std::string>& names, std::int64_t place) {
  const bool known = place >= 0 && place < static_cast<std::int64_t>(names.size());
  return known ? names[static_cast<std::size_t>(place)].c_str() : nullptr;
}

}  // namespace

}  // namespace conflux

using conflux::guarded;

const char* conflux_version(void) { return CONFLUX_VERSION; }

const char* conflux_error(void) { return conflux::last_error().c_str(); }

conflux_table* conflux_table_create(std::int64_t columns) {
  return guarded(
      [&] {
        constexpr std::int64_t kMost = std::int64_t{1} << 20;
        if (columns < 1 || columns > kMost) {
          throw conflux::InvalidOption(
              fmt::format("the table has {} columns; give 1 to {}.", columns, kMost));
        }
        auto out = std::make_unique<conflux_table>();
        for (std::int64_t j = 0; j < columns; ++j) {
          out->table.add(fmt::format("c{}", j), std::vector<double>());
        }
        return out.release();
      },
      static_cast<conflux_table*>(nullptr));
}

int conflux_table_name(conflux_table* table, std::int64_t column, const char* name) {
  return guarded(
      [&] {
        conflux::require(table != nullptr && name != nullptr, "the table or the name");
        if (column < 0 || column >= table->table.num_columns() || table->table.has(name)) {
          throw conflux::InvalidOption(
              fmt::format("column {} cannot be called \"{}\"; count columns from 0, and give each "
                          "another name.",
                          column, name));
        }
        std::string& kept = table->table.columns[column].name;
        if (auto levels = table->levels.extract(kept); !levels.empty()) {
          levels.key() = name;
          table->levels.insert(std::move(levels));
        }
        kept = name;
        return 1;
      },
      0);
}

int conflux_table_levels(conflux_table* table, std::int64_t column, const char* const* levels,
                         std::int64_t count) {
  return guarded(
      [&] {
        conflux::require(table != nullptr && levels != nullptr && count >= 0,
                         "the table or the levels");
        if (column < 0 || column >= table->table.num_columns()) {
          throw conflux::InvalidOption(fmt::format("there is no column {}; count from 0 to {}.",
                                                   column, table->table.num_columns() - 1));
        }
        table->levels[table->table.columns[column].name] = {levels, levels + count};
        return 1;
      },
      0);
}

int conflux_table_add(conflux_table* table, const char* group, const double* rows,
                      std::int64_t count) {
  const std::vector<const char*> groups(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)),
                                        group);
  return conflux_table_add_rows(table, groups.data(), rows, count);
}

int conflux_table_add_rows(conflux_table* table, const char* const* groups, const double* rows,
                           std::int64_t count) {
  return guarded(
      [&] {
        conflux::require(count >= 0 && (rows != nullptr || count == 0), "the array of rows");
        conflux::require(
            table != nullptr && std::none_of(groups, groups + count,
                                             [](const char* group) { return group == nullptr; }),
            "the table or the name of a group");
        table->table.append(conflux::rows_table(table->table.names(), rows, count));
        table->group_of_row.insert(table->group_of_row.end(), groups, groups + count);
        return 1;
      },
      0);
}

void conflux_table_destroy(conflux_table* table) { delete table; }

conflux_model* conflux_fit(const conflux_table* table, const char* options) {
  return guarded(
      [&] {
        conflux::require(table != nullptr, "the table");
        return conflux::fit_table(*table, conflux::options_from(options)).release();
      },
      static_cast<conflux_model*>(nullptr));
}

conflux_model* conflux_load(const char* path) {
  return guarded(
      [&] {
        conflux::require(path != nullptr, "the path");
        auto out = std::make_unique<conflux_model>();
        out->model = conflux::load_model(path);
        out->columns = conflux::columns_of(out->model);
        out->levels = conflux::levels_of(out->model);
        out->summary = conflux::summary_of(out->model.record);
        return out.release();
      },
      static_cast<conflux_model*>(nullptr));
}

int conflux_save(const conflux_model* model, const char* path) {
  return guarded(
      [&] {
        conflux::require(model != nullptr && path != nullptr, "the model or the path");
        conflux::refuse_other_kind(path, conflux::FileKind::kModel);
        conflux::save_model(path, model->model);
        return 1;
      },
      0);
}

conflux_model* conflux_with_amount(const conflux_model* model, double amount) {
  return guarded(
      [&] {
        conflux::require(model != nullptr, "the model");
        auto out = std::make_unique<conflux_model>(*model);
        conflux::set_amount(out->model, amount);
        return out.release();
      },
      static_cast<conflux_model*>(nullptr));
}

void conflux_destroy(conflux_model* model) { delete model; }

std::int64_t conflux_num_groups(const conflux_model* model) {
  return model == nullptr ? -1 : model->model.flow.num_groups();
}

std::int64_t conflux_num_columns(const conflux_model* model) {
  return model == nullptr ? -1 : static_cast<std::int64_t>(model->columns.size());
}

const char* conflux_group_name(const conflux_model* model, std::int64_t group) {
  return model == nullptr ? nullptr : conflux::name_at(model->model.flow.group_names(), group);
}

const char* conflux_column_name(const conflux_model* model, std::int64_t column) {
  return model == nullptr ? nullptr : conflux::name_at(model->columns, column);
}

std::int64_t conflux_num_levels(const conflux_model* model, std::int64_t column) {
  const char* name = conflux_column_name(model, column);
  if (name == nullptr) return -1;
  const auto known = model->levels.find(name);
  return known == model->levels.end() ? 0 : static_cast<std::int64_t>(known->second.size());
}

const char* conflux_level_name(const conflux_model* model, std::int64_t column,
                               std::int64_t level) {
  if (conflux_num_levels(model, column) <= 0) return nullptr;
  return conflux::name_at(model->levels.at(conflux_column_name(model, column)), level);
}

const char* conflux_summary(const conflux_model* model) {
  return model == nullptr ? nullptr : model->summary.c_str();
}

int conflux_transform(const conflux_model* model, const char* group, double* rows,
                      std::int64_t count) {
  return conflux::moved(model, conflux::Direction::kToShared, group, nullptr, rows, count);
}

int conflux_inverse(const conflux_model* model, const char* group, double* rows,
                    std::int64_t count) {
  return conflux::moved(model, conflux::Direction::kFromShared, group, nullptr, rows, count);
}

int conflux_translate(const conflux_model* model, const char* from, const char* to, double* rows,
                      std::int64_t count) {
  return conflux::moved(model, conflux::Direction::kBetweenGroups, from, to, rows, count);
}

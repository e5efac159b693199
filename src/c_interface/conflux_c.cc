#include "conflux/conflux_c.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <sstream>

#include "conflux/columns/find_columns.h"
#include "conflux/core/error.h"
#include "conflux/judging/judged_fit.h"
#include "conflux/storage/model_file.h"
#include "conflux/tables/table.h"
#include "conflux/training/fit.h"
#include "conflux/training/table_mover.h"
#include "options/option_text.h"

struct conflux_table {
  conflux::Table table;
  std::vector<conflux::Index> group_of_row;
  std::vector<std::string> groups;
};

struct conflux_model {
  conflux::Model model;
  /// Columns of the rows that are moved: features, and what is carried along.
  std::vector<std::string> columns;
  std::string summary;
};

namespace conflux {

namespace {

// Columns of the table that was fitted, which the model file keeps as text.
constexpr const char* kColumns = "c_columns";

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

FitOptions options_from(const char* text) {
  FitOptions out;
  std::istringstream words(text == nullptr ? "" : text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == word.npos) {
      throw InvalidOption(fmt::format("the option is \"{}\"; write name=value.", word));
    }
    set_option(out, word.substr(0, equals), word.substr(equals + 1));
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

std::unique_ptr<conflux_model> fit_table(const conflux_table& data, const FitOptions& options) {
  const Workers workers(options.threads);
  const auto num_groups = static_cast<Index>(data.groups.size());
  auto out = std::make_unique<conflux_model>();
  out->columns = data.table.names();
  Columns columns =
      find_columns(data.table, data.group_of_row, num_groups, {.seed = options.seed}, workers);
  std::vector<Matrix> rows =
      coordinates_by_group(columns, data.table, data.group_of_row, num_groups, workers);
  GroupSet groups;
  for (std::size_t m = 0; m < rows.size(); ++m) groups.add(data.groups[m], std::move(rows[m]));
  groups.set_feature_names(columns.feature_names());
  RowsToJudge judged = choose_rows_to_judge(std::move(groups), 0, options);
  SelfCommunicator comm;
  Fit fit = fit_flow(std::move(judged.fitted), judged.options, comm, {}, judged.control());
  judge_fit(fit, judged);
  out->model.flow = std::move(fit.flow);
  out->model.record = std::move(fit.record);
  out->model.feature_names = columns.feature_names();
  out->model.columns = std::move(columns);
  for (const std::string& name : out->columns) out->model.metadata[kColumns] += name + "\n";
  out->summary = summary_of(out->model.record);
  return out;
}

std::vector<std::string> columns_of(const Model& model) {
  const auto kept = model.metadata.find(kColumns);
  if (kept == model.metadata.end()) return model.feature_names;
  std::vector<std::string> out;
  std::istringstream lines(kept->second);
  for (std::string line; std::getline(lines, line);) out.push_back(line);
  return out;
}

enum class Way { kTransform, kInverse, kTranslate };

void move_rows(const conflux_model& from, Way way, const char* group, const char* to, double* rows,
               Index count) {
  const Model& model = from.model;
  const Workers workers;
  const auto n = static_cast<std::size_t>(count);
  const std::vector<Index> groups(n, model.flow.group_index(group));
  if (model.columns.empty()) {
    const Rows all(rows, count, model.flow.dim());
    const std::vector<Index> there(n, to == nullptr ? 0 : model.flow.group_index(to));
    const Route route = way == Way::kTransform ? Route::to_shared(groups)
                        : way == Way::kInverse ? Route::from_shared(groups)
                                               : Route::between(groups, there);
    model.flow.move(ConstRows(all), route, all, nullptr, workers);
    return;
  }
  Table table = rows_table(from.columns, rows, count);
  const TableMover mover(model, workers);
  if (way == Way::kTransform) mover.transform(table, groups);
  if (way == Way::kInverse) mover.inverse(table, groups, groups);
  if (way == Way::kTranslate) {
    mover.translate(table, groups, std::vector<Index>(n, model.flow.group_index(to)));
  }
  const auto width = static_cast<Index>(from.columns.size());
  for (Index j = 0; j < width; ++j) {
    for (Index i = 0; i < count; ++i) rows[i * width + j] = table.columns[j].numbers[i];
  }
}

int moved(const conflux_model* model, Way way, const char* group, const char* to, double* rows,
          std::int64_t count) {
  return guarded(
      [&] {
        require(model != nullptr, "the model");
        require(group != nullptr && (way != Way::kTranslate || to != nullptr),
                "the name of a group");
        require(rows != nullptr && count >= 0, "the array of rows");
        if (count > 0) move_rows(*model, way, group, to, rows, count);
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
        table->table.columns[column].name = name;
        return 1;
      },
      0);
}

int conflux_table_add(conflux_table* table, const char* group, const double* rows,
                      std::int64_t count) {
  return guarded(
      [&] {
        conflux::require(table != nullptr && group != nullptr, "the table or the name of a group");
        conflux::require(count >= 0 && (rows != nullptr || count == 0), "the array of rows");
        const auto known = std::find(table->groups.begin(), table->groups.end(), group);
        const conflux::Index place = known - table->groups.begin();
        if (known == table->groups.end()) table->groups.emplace_back(group);
        table->table.append(conflux::rows_table(table->table.names(), rows, count));
        table->group_of_row.insert(table->group_of_row.end(), static_cast<std::size_t>(count),
                                   place);
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
        out->summary = conflux::summary_of(out->model.record);
        return out.release();
      },
      static_cast<conflux_model*>(nullptr));
}

int conflux_save(const conflux_model* model, const char* path) {
  return guarded(
      [&] {
        conflux::require(model != nullptr && path != nullptr, "the model or the path");
        conflux::save_model(path, model->model);
        return 1;
      },
      0);
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

const char* conflux_summary(const conflux_model* model) {
  return model == nullptr ? nullptr : model->summary.c_str();
}

int conflux_transform(const conflux_model* model, const char* group, double* rows,
                      std::int64_t count) {
  return conflux::moved(model, conflux::Way::kTransform, group, nullptr, rows, count);
}

int conflux_inverse(const conflux_model* model, const char* group, double* rows,
                    std::int64_t count) {
  return conflux::moved(model, conflux::Way::kInverse, group, nullptr, rows, count);
}

int conflux_translate(const conflux_model* model, const char* from, const char* to, double* rows,
                      std::int64_t count) {
  return conflux::moved(model, conflux::Way::kTranslate, from, to, rows, count);
}

#include "caller_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "conflux/columns/measured_scales.h"
#include "conflux/core/error.h"

namespace py = pybind11;

namespace conflux::python {

namespace {

// Positions of the rows of each group, in order.
std::vector<std::vector<Index>> rows_by_group(std::span<const Index> groups,
                                              std::span<const Index> rows, std::size_t num_groups) {
  std::vector<std::vector<Index>> out(num_groups);
  for (const Index row : rows) {
    const auto m = static_cast<std::size_t>(groups[static_cast<std::size_t>(row)]);
    if (m >= num_groups) throw InvalidData("a row has a group number that does not exist.");
    out[m].push_back(row);
  }
  return out;
}

std::vector<Index> every_row(Index count) {
  std::vector<Index> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

template <class Value>
std::vector<Value> taken(std::span<const Value> all, const std::vector<Index>& rows) {
  std::vector<Value> out;
  if (all.empty()) return out;
  for (const Index row : rows) out.push_back(all[static_cast<std::size_t>(row)]);
  return out;
}

void refuse_empty_groups(const std::vector<std::vector<Index>>& rows_of, const Names& names) {
  for (std::size_t m = 0; m < rows_of.size(); ++m) {
    if (!rows_of[m].empty()) continue;
    throw InvalidData(fmt::format(
        "every row of group \"{}\" has a missing cell; keep them by --missing auto.", names[m]));
  }
}

}  // namespace

CallerRows::CallerRows(const py::object& x, Names names) : names_(std::move(names)) {
  if (py::isinstance<Table>(x)) {
    table_ = x.cast<SharedTable>();
    names_ = table_->names();
  } else {
    array_ = x.cast<py::array>();
    samples_.emplace(*array_);
  }
}

SharedTable CallerRows::table(const Workers& workers) const {
  if (table_) return table_;
  if (static_cast<std::size_t>(samples_->cols()) != names_.size()) {
    throw InvalidData(fmt::format("the rows have {} columns, but there are {} names; name each.",
                                  samples_->cols(), names_.size()));
  }
  return std::make_shared<Table>(table_of(*samples_, names_, workers));
}

CallerData::CallerData(const py::object& x, RowFacts facts,
                       const std::optional<ColumnOptions>& options, int threads)
    : facts_(std::move(facts)), rows_(x, facts_.feature_names) {
  if (rows_.is_array()) caller_.emplace(rows_.array(), facts_);
  const auto groups = span_of(*facts_.groups, rows_.rows());
  const auto count = static_cast<Index>(facts_.group_names.size());
  const py::gil_scoped_release unlocked;
  const Workers workers(threads);
  const std::vector<Index> all = every_row(rows_.rows());
  rows_of_ = rows_by_group(groups, all, facts_.group_names.size());
  if (!options) {
    borrow(workers);
    return;
  }
  const SharedTable whole = rows_.table(workers);
  SharedTable table = whole;
  columns_ = find_columns(*table, groups, count, *options, workers);
  std::vector<Index> kept = all;
  if (options->missing == MissingRule::kDrop) kept = complete_rows(*table, columns_);
  dropped_ = rows_.rows() - static_cast<Index>(kept.size());
  if (dropped_ > 0) {
    rows_of_ = rows_by_group(groups, kept, facts_.group_names.size());
    refuse_empty_groups(rows_of_, facts_.group_names);
    table = std::make_shared<Table>(table->rows(kept));
    const Columns of_all_rows = std::move(columns_);
    columns_ = find_columns(*table, taken(groups, kept), count, *options, workers);
    take_missing_codes(columns_, of_all_rows);
  } else if (rows_.is_array() && as_they_are(*table)) {
    borrow(workers);
    return;
  }
  things_ = find_things(*whole, columns_, rows_of_);
  keep(coordinates_by_group(columns_, *table, taken(groups, kept), count, workers));
}

CallerData::CallerData(const Columns& columns, const Names& known_groups, const py::object& x,
                       RowFacts facts, int threads)
    : facts_(std::move(facts)), rows_(x, facts_.feature_names) {
  if (rows_.is_array()) caller_.emplace(rows_.array(), facts_);
  const auto groups = span_of(*facts_.groups, rows_.rows());
  const py::gil_scoped_release unlocked;
  const Workers workers(threads);
  rows_of_ = rows_by_group(groups, every_row(rows_.rows()), facts_.group_names.size());
  std::vector<Index> places;
  for (const std::string& name : facts_.group_names)
    places.push_back(find_group(known_groups, name));
  if (columns.empty()) {
    borrow(workers);
    return;
  }
  columns_ = columns;
  std::vector<Index> known;
  for (const Index group : groups) known.push_back(places[static_cast<std::size_t>(group)]);
  const Matrix all = known_coordinates(columns, *rows_.table(workers), known, workers);
  std::vector<Matrix> parts;
  for (const std::vector<Index>& own : rows_of_) parts.emplace_back(all(own, Eigen::all));
  keep(std::move(parts));
}

bool CallerData::as_they_are(const Table& table) const {
  return columns_.feature_names() == rows_.names() &&
         std::all_of(columns_.features.begin(), columns_.features.end(),
                     [](const Feature& feature) { return feature.as_it_is(); }) &&
         std::all_of(table.columns.begin(), table.columns.end(),
                     [](const Column& column) { return count_missing(column) == 0; });
}

void CallerData::borrow(const Workers& workers) {
  groups_ = caller_->group_set(workers);
  set_labels();
}

void CallerData::keep(std::vector<Matrix> coordinates) {
  const auto masses = masses_of(facts_.masses, rows_.rows());
  for (std::size_t m = 0; m < coordinates.size(); ++m) {
    groups_.add(facts_.group_names[m], std::move(coordinates[m]), taken(masses, rows_of_[m]));
  }
  groups_.set_feature_names(columns_.feature_names());
  groups_.set_measured(measured_scales(columns_));
  set_labels();
}

void CallerData::set_labels() {
  if (facts_.label_names.empty() || !facts_.labels) return;
  const auto labels = span_of(*facts_.labels, rows_.rows());
  std::vector<std::vector<Index>> of_groups;
  for (const std::vector<Index>& own : rows_of_) of_groups.push_back(taken(labels, own));
  groups_.set_labels(facts_.label_names, std::move(of_groups));
}

Matrix known_coordinates(const Columns& columns, const Table& table, std::span<const Index> groups,
                         const Workers& workers) {
  Matrix rows = columns.coordinates(table, workers);
  const auto parts = rows_by_group(groups, every_row(rows.rows()), columns.expected.size());
  for (std::size_t m = 0; m < parts.size(); ++m) {
    Matrix part = rows(parts[m], Eigen::all);
    if (!part.array().isNaN().any()) continue;
    columns.fill_missing(Rows(part), static_cast<Index>(m));
    rows(parts[m], Eigen::all) = part;
  }
  return rows;
}

}  // namespace conflux::python

#include "caller_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "columns/measured_scales.h"
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
  const py::gil_scoped_release unlocked;
  const Workers workers(threads);
  data_.positions = rows_by_group(groups, every_row(rows_.rows()), facts_.group_names.size());
  if (!options) {
    borrow(workers);
    return;
  }
  const SharedTable table = rows_.table(workers);
  RowTags tags{.group_names = facts_.group_names, .groups = groups};
  tags.masses = masses_of(facts_.masses, rows_.rows());
  if (!facts_.label_names.empty() && facts_.labels) {
    tags.label_names = facts_.label_names;
    tags.labels = span_of(*facts_.labels, rows_.rows());
  }
  data_ =
      dataset_of(*table, tags, {.columns = *options, .seed = options->seed, .threads = threads});
  // Values that are coordinates already need not be copied.
  if (dropped() == 0 && rows_.is_array() && as_they_are(*table)) borrow(workers);
}

CallerData::CallerData(const Columns& columns, const Names& known_groups, const py::object& x,
                       RowFacts facts, int threads)
    : facts_(std::move(facts)), rows_(x, facts_.feature_names) {
  if (rows_.is_array()) caller_.emplace(rows_.array(), facts_);
  const auto groups = span_of(*facts_.groups, rows_.rows());
  const py::gil_scoped_release unlocked;
  const Workers workers(threads);
  data_.positions = rows_by_group(groups, every_row(rows_.rows()), facts_.group_names.size());
  std::vector<Index> places;
  for (const std::string& name : facts_.group_names)
    places.push_back(find_group(known_groups, name));
  if (columns.empty()) {
    borrow(workers);
    return;
  }
  data_.columns = columns;
  std::vector<Index> known;
  for (const Index group : groups) known.push_back(places[static_cast<std::size_t>(group)]);
  const Matrix all = known_coordinates(columns, *rows_.table(workers), known, workers);
  std::vector<Matrix> parts;
  for (const std::vector<Index>& own : data_.positions) parts.emplace_back(all(own, Eigen::all));
  keep(std::move(parts));
}

bool CallerData::as_they_are(const Table& table) const {
  return columns().feature_names() == rows_.names() &&
         std::all_of(columns().features.begin(), columns().features.end(),
                     [](const Feature& feature) { return feature.as_it_is(); }) &&
         std::all_of(table.columns.begin(), table.columns.end(),
                     [](const Column& column) { return count_missing(column) == 0; });
}

void CallerData::borrow(const Workers& workers) {
  data_.groups = caller_->group_set(workers);
  set_labels();
}

void CallerData::keep(std::vector<Matrix> coordinates) {
  const auto masses = masses_of(facts_.masses, rows_.rows());
  for (std::size_t m = 0; m < coordinates.size(); ++m) {
    data_.groups.add(facts_.group_names[m], std::move(coordinates[m]),
                     taken(masses, data_.positions[m]));
  }
  data_.groups.set_feature_names(columns().coordinate_names());
  data_.groups.set_covariates(columns().num_covariates());
  data_.groups.set_measured(measured_scales(columns()));
  set_labels();
}

void CallerData::set_labels() {
  if (facts_.label_names.empty() || !facts_.labels) return;
  const auto labels = span_of(*facts_.labels, rows_.rows());
  std::vector<std::vector<Index>> of_groups;
  for (const std::vector<Index>& own : data_.positions) of_groups.push_back(taken(labels, own));
  data_.groups.set_labels(facts_.label_names, std::move(of_groups));
}

Dataset CallerData::take(std::string group_column, std::string label_column) {
  Dataset out;
  out.groups = std::move(data_.groups);
  out.group_column = std::move(group_column);
  out.label_column = std::move(label_column);
  out.columns = data_.columns;
  out.subjects = data_.subjects;
  out.telling = data_.telling;
  out.digest_when_read = data_.digest_when_read;
  return out;
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

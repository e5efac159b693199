#include "conflux/model/table_mover.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "columns/expectation.h"
#include "conflux/tables/table_groups.h"
#include "model/incomplete_rows.h"

namespace conflux {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Mask = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Mask missing_in(const Matrix& rows) { return rows.array().isNaN(); }

// Unknown covariates of rows of these groups, -1 if the group is unknown.
void fill_covariates(const Columns& columns, std::span<const Index> groups, Matrix& rows) {
  for (Index i = 0; i < rows.rows(); ++i) {
    columns.fill_covariates(rows.row(i).data(), groups[static_cast<std::size_t>(i)]);
  }
}

void erase(Matrix& rows, const Mask& missing) {
  if (missing.any()) rows = missing.select(kNan, rows.array()).matrix();
}

}  // namespace

Route route_of(Direction direction, std::span<const Index> from, std::span<const Index> to) {
  switch (direction) {
    case Direction::kToShared:
      return Route::to_shared(from);
    case Direction::kFromShared:
      return Route::from_shared(to);
    case Direction::kBetweenGroups:
      break;
  }
  return Route::between(from, to);
}

TableMover::TableMover(const Model& model, const Workers& workers)
    : model_(model), workers_(workers), shared_(expected_in_shared(model)) {}

std::vector<Index> labels_of_table(const Model& model, const Table& table) {
  if (model.flow.within().empty() || !has_columns(table, model.label_column)) return {};
  std::map<std::string, Index> known;
  std::vector<Index> out;
  for (const std::string& label : labels_of_rows(table, model.label_column)) {
    const auto [found, is_new] = known.try_emplace(label, -1);
    if (is_new) found->second = model.flow.label_index(label);
    out.push_back(found->second);
  }
  return out;
}

std::vector<Index> TableMover::labels_for(const Table& table) const {
  if (given_labels_.empty()) return labels_of_table(model_, table);
  return {given_labels_.begin(), given_labels_.end()};
}

std::vector<TableMover::Incomplete> TableMover::move_complete(Matrix& rows, const Route& route,
                                                              std::span<const Index> groups) const {
  std::map<std::pair<Index, Index>, Incomplete> incomplete;
  std::vector<char> complete(groups.size(), 1);
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    if (!rows.row(i).array().isNaN().any()) continue;
    complete[row] = 0;
    const Index label = route.labels.empty() ? -1 : route.labels[row];
    Incomplete& of_row = incomplete[{groups[row], label}];
    of_row.group = groups[row];
    of_row.label = label;
    of_row.rows.push_back(i);
  }
  // A row with gaps passes as zeros and keeps its values.
  model_.flow.move({.rows = rows.rows(),
                    .cols = rows.cols(),
                    .read =
                        [&](Index i, double* out) {
                          if (complete[static_cast<std::size_t>(i)] != 0) {
                            std::copy_n(rows.row(i).data(), rows.cols(), out);
                          } else {
                            std::fill_n(out, rows.cols(), 0.0);
                          }
                        },
                    .write =
                        [&](Index i, const double* moved) {
                          if (complete[static_cast<std::size_t>(i)] != 0) {
                            std::copy_n(moved, rows.cols(), rows.row(i).data());
                          }
                        }},
                   route, nullptr, workers_);
  std::vector<Incomplete> out;
  for (auto& [key, each] : incomplete) out.push_back(std::move(each));
  return out;
}

void TableMover::to_shared(Matrix& rows, std::span<const std::uint64_t> names,
                           std::span<const Index> groups, std::span<const Index> labels) const {
  const auto incomplete = move_complete(rows, Route::to_shared(groups).of_labels(labels), groups);
  inexact_.clear();
  const IncompleteRows search(model_, shared_, workers_);
  for (const Incomplete& each : incomplete) {
    Matrix part = rows(each.rows, Eigen::all);
    const auto [flow, place] = model_.flow.flow_of(each.group, each.label);
    if (flow->takes_gaps()) {
      flow->forward_in_place(place, Rows(part), nullptr, workers_);
    } else {
      std::vector<std::uint64_t> own;
      for (const Index i : each.rows) own.push_back(names[static_cast<std::size_t>(i)]);
      for (const Index i : search.to_shared(each.group, each.label, Rows(part), own)) {
        inexact_.push_back(each.rows[static_cast<std::size_t>(i)]);
      }
    }
    rows(each.rows, Eigen::all) = part;
  }
  std::sort(inexact_.begin(), inexact_.end());
}

void TableMover::move(Direction direction, Table& table, std::span<const Index> from,
                      std::span<const Index> to) const {
  if (model_.flow.amount() == 0) return;  // every cell stays as it is, repeated values included
  switch (direction) {
    case Direction::kToShared:
      return transform(table, from);
    case Direction::kFromShared:
      return inverse(table, from, to);
    case Direction::kBetweenGroups:
      return translate(table, from, to);
  }
}

void TableMover::transform(Table& table, std::span<const Index> groups) const {
  Matrix rows = model_.columns.coordinates(table, workers_);
  fill_covariates(model_.columns, groups, rows);
  const Mask missing = missing_in(rows);
  to_shared(rows, model_.columns.row_names(table), groups, labels_for(table));
  erase(rows, missing);
  model_.columns.put_shared(table, rows, workers_);
}

void TableMover::translate(Table& table, std::span<const Index> from,
                           std::span<const Index> to) const {
  Matrix rows = model_.columns.coordinates(table, workers_);
  fill_covariates(model_.columns, from, rows);
  const Mask missing = missing_in(rows);
  const std::vector<Index> labels = labels_for(table);
  to_shared(rows, model_.columns.row_names(table), from, labels);
  from_shared(rows, to, labels);
  erase(rows, missing);
  model_.columns.put_values(table, rows, from, to, workers_);
}

void TableMover::inverse(Table& table, std::span<const Index> from,
                         std::span<const Index> to) const {
  Matrix rows = model_.columns.shared_coordinates(table, workers_);
  fill_covariates(model_.columns, from, rows);
  const Mask missing = missing_in(rows);
  model_.columns.unmark_new_categories(table);
  from_shared(rows, to, labels_for(table));
  erase(rows, missing);
  model_.columns.put_values(table, rows, from, to, workers_);
}

void TableMover::from_shared(Matrix& rows, std::span<const Index> groups,
                             std::span<const Index> labels) const {
  const auto incomplete = move_complete(rows, Route::from_shared(groups).of_labels(labels), groups);
  for (const Incomplete& each : incomplete) {
    Matrix part = rows(each.rows, Eigen::all);
    const auto [flow, place] = model_.flow.flow_of(each.group, each.label);
    if (!flow->takes_gaps()) fill_expected(shared_, Rows(part));
    flow->inverse_in_place(place, Rows(part), nullptr, workers_);
    rows(each.rows, Eigen::all) = part;
  }
}

}  // namespace conflux

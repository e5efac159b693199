#include "conflux/model/table_mover.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "columns/expectation.h"
#include "model/incomplete_rows.h"

namespace conflux {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Mask = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Mask missing_in(const Matrix& rows) { return rows.array().isNaN(); }

// Unknown covariates of rows of these groups, -1 where nobody knows the group.
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

std::vector<std::vector<Index>> TableMover::move_complete(Matrix& rows, const Route& route,
                                                          std::span<const Index> groups) const {
  std::vector<std::vector<Index>> incomplete(static_cast<std::size_t>(model_.flow.num_groups()));
  std::vector<char> complete(groups.size(), 1);
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    if (!rows.row(i).array().isNaN().any()) continue;
    complete[row] = 0;
    incomplete[static_cast<std::size_t>(groups[row])].push_back(i);
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
  return incomplete;
}

void TableMover::to_shared(Matrix& rows, std::span<const std::uint64_t> names,
                           std::span<const Index> groups) const {
  const auto incomplete = move_complete(rows, Route::to_shared(groups), groups);
  inexact_.clear();
  const IncompleteRows search(model_, shared_, workers_);
  for (std::size_t m = 0; m < incomplete.size(); ++m) {
    if (incomplete[m].empty()) continue;
    Matrix part = rows(incomplete[m], Eigen::all);
    if (model_.flow.takes_gaps()) {
      model_.flow.forward_in_place(static_cast<Index>(m), Rows(part), nullptr, workers_);
    } else {
      std::vector<std::uint64_t> own;
      for (const Index i : incomplete[m]) own.push_back(names[static_cast<std::size_t>(i)]);
      for (const Index i : search.to_shared(static_cast<Index>(m), Rows(part), own)) {
        inexact_.push_back(incomplete[m][static_cast<std::size_t>(i)]);
      }
    }
    rows(incomplete[m], Eigen::all) = part;
  }
  std::sort(inexact_.begin(), inexact_.end());
}

void TableMover::move(Direction direction, Table& table, std::span<const Index> from,
                      std::span<const Index> to) const {
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
  to_shared(rows, model_.columns.row_names(table), groups);
  erase(rows, missing);
  model_.columns.put_shared(table, rows, workers_);
}

void TableMover::translate(Table& table, std::span<const Index> from,
                           std::span<const Index> to) const {
  Matrix rows = model_.columns.coordinates(table, workers_);
  fill_covariates(model_.columns, from, rows);
  const Mask missing = missing_in(rows);
  to_shared(rows, model_.columns.row_names(table), from);
  from_shared(rows, to);
  erase(rows, missing);
  model_.columns.put_values(table, rows, from, to, workers_);
}

void TableMover::inverse(Table& table, std::span<const Index> from,
                         std::span<const Index> to) const {
  Matrix rows = model_.columns.shared_coordinates(table, workers_);
  fill_covariates(model_.columns, from, rows);
  const Mask missing = missing_in(rows);
  model_.columns.unmark_new_categories(table);
  if (missing.any() && !model_.flow.takes_gaps()) fill_expected(shared_, Rows(rows));
  from_shared(rows, to);
  erase(rows, missing);
  model_.columns.put_values(table, rows, from, to, workers_);
}

void TableMover::from_shared(Matrix& rows, std::span<const Index> groups) const {
  const auto incomplete = move_complete(rows, Route::from_shared(groups), groups);
  for (std::size_t m = 0; m < incomplete.size(); ++m) {
    if (incomplete[m].empty()) continue;
    Matrix part = rows(incomplete[m], Eigen::all);
    model_.flow.inverse_in_place(static_cast<Index>(m), Rows(part), nullptr, workers_);
    rows(incomplete[m], Eigen::all) = part;
  }
}

}  // namespace conflux

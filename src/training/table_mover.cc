#include "conflux/training/table_mover.h"

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "columns/expectation.h"
#include "training/incomplete_rows.h"

namespace conflux {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Mask = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Mask missing_in(const Matrix& rows) { return rows.array().isNaN(); }

void erase(Matrix& rows, const Mask& missing) {
  if (missing.any()) rows = missing.select(kNan, rows.array()).matrix();
}

// Rows of each group are gathered, changed together, and put back in their places.
void by_group(Matrix& rows, std::span<const Index> groups, Index num_groups,
              const std::function<void(Index, const std::vector<Index>&, Matrix&)>& change) {
  std::vector<std::vector<Index>> places(static_cast<std::size_t>(num_groups));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    places[static_cast<std::size_t>(groups[i])].push_back(static_cast<Index>(i));
  }
  for (Index m = 0; m < num_groups; ++m) {
    const std::vector<Index>& own = places[static_cast<std::size_t>(m)];
    if (own.empty()) continue;
    Matrix part = rows(own, Eigen::all);
    change(m, own, part);
    rows(own, Eigen::all) = part;
  }
}

}  // namespace

TableMover::TableMover(const Model& model, const Workers& workers)
    : model_(model), workers_(workers), shared_(expected_in_shared(model)) {}

void TableMover::to_shared(Matrix& rows, std::span<const std::uint64_t> names,
                           std::span<const Index> groups) const {
  if (model_.flow.takes_gaps()) {
    return by_group(rows, groups, model_.flow.num_groups(),
                    [&](Index group, const std::vector<Index>&, Matrix& part) {
                      model_.flow.forward_in_place(group, Rows(part), nullptr, workers_);
                    });
  }
  const IncompleteRows search(model_, shared_, workers_);
  by_group(rows, groups, model_.flow.num_groups(),
           [&](Index group, const std::vector<Index>& places, Matrix& part) {
             std::vector<Index> incomplete;
             std::vector<std::uint64_t> own;
             for (Index i = 0; i < part.rows(); ++i) {
               if (!part.row(i).array().isNaN().any()) continue;
               incomplete.push_back(i);
               own.push_back(names[static_cast<std::size_t>(places[static_cast<std::size_t>(i)])]);
             }
             Matrix found = part(incomplete, Eigen::all);
             // These rows are moved by a search of their own; zeros keep their places.
             part(incomplete, Eigen::all).setZero();
             model_.flow.forward_in_place(group, Rows(part), nullptr, workers_);
             if (incomplete.empty()) return;
             inexact_ += search.to_shared(group, Rows(found), own);
             part(incomplete, Eigen::all) = found;
           });
}

void TableMover::transform(Table& table, std::span<const Index> groups) const {
  Matrix rows = model_.columns.coordinates(table, workers_);
  const Mask missing = missing_in(rows);
  to_shared(rows, model_.columns.row_names(table), groups);
  erase(rows, missing);
  model_.columns.put_shared(table, rows, workers_);
}

void TableMover::translate(Table& table, std::span<const Index> from,
                           std::span<const Index> to) const {
  Matrix rows = model_.columns.coordinates(table, workers_);
  const Mask missing = missing_in(rows);
  to_shared(rows, model_.columns.row_names(table), from);
  from_shared(rows, to);
  erase(rows, missing);
  model_.columns.put_values(table, rows, from, to, workers_);
}

void TableMover::inverse(Table& table, std::span<const Index> from,
                         std::span<const Index> to) const {
  Matrix rows = model_.columns.shared_coordinates(table, workers_);
  const Mask missing = missing_in(rows);
  model_.columns.unmark_new_categories(table);
  if (missing.any() && !model_.flow.takes_gaps()) fill_expected(shared_, Rows(rows));
  from_shared(rows, to);
  erase(rows, missing);
  model_.columns.put_values(table, rows, from, to, workers_);
}

void TableMover::from_shared(Matrix& rows, std::span<const Index> groups) const {
  by_group(rows, groups, model_.flow.num_groups(),
           [&](Index group, const std::vector<Index>&, Matrix& part) {
             model_.flow.inverse_in_place(group, Rows(part), nullptr, workers_);
           });
}

}  // namespace conflux

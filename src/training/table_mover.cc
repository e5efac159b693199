#include "conflux/training/table_mover.h"

#include <cmath>
#include <functional>

namespace conflux {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// Missing coordinates of the shared space settle within a few rounds, unless features depend on
// each other so much that one hardly exists without the other.
constexpr int kMostRounds = 200;
constexpr double kSettled = 1e-13;

using Mask = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Mask missing_in(const Matrix& rows) { return rows.array().isNaN(); }

void erase(Matrix& rows, const Mask& missing) {
  if (missing.any()) rows = missing.select(kNan, rows.array()).matrix();
}

// Rows of each group are gathered, changed together, and put back in their places.
void by_group(Matrix& rows, std::span<const Index> groups, Index num_groups,
              const std::function<void(Index, Matrix&)>& change) {
  std::vector<std::vector<Index>> places(static_cast<std::size_t>(num_groups));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    places[static_cast<std::size_t>(groups[i])].push_back(static_cast<Index>(i));
  }
  for (Index m = 0; m < num_groups; ++m) {
    const std::vector<Index>& own = places[static_cast<std::size_t>(m)];
    if (own.empty()) continue;
    Matrix part = rows(own, Eigen::all);
    change(m, part);
    rows(own, Eigen::all) = part;
  }
}

}  // namespace

void TableMover::to_shared(Matrix& rows, std::span<const Index> groups) const {
  by_group(rows, groups, model_.flow.num_groups(), [&](Index group, Matrix& part) {
    model_.columns.fill_missing(Rows(part), group);
    model_.flow.forward_in_place(group, Rows(part), nullptr, workers_);
  });
}

void TableMover::transform(Table& table, std::span<const Index> groups) const {
  Matrix rows = model_.columns.coordinates(table, workers_);
  const Mask missing = missing_in(rows);
  to_shared(rows, groups);
  erase(rows, missing);
  model_.columns.put_shared(table, rows, workers_);
}

void TableMover::translate(Table& table, std::span<const Index> from,
                           std::span<const Index> to) const {
  Matrix rows = model_.columns.coordinates(table, workers_);
  const Mask missing = missing_in(rows);
  to_shared(rows, from);
  from_shared(rows, to);
  erase(rows, missing);
  model_.columns.put_values(table, rows, from, to, workers_);
}

void TableMover::inverse(Table& table, std::span<const Index> from,
                         std::span<const Index> to) const {
  Matrix rows = model_.columns.shared_coordinates(table, workers_);
  const Mask missing = missing_in(rows);
  if (missing.any()) {
    by_group(rows, to, model_.flow.num_groups(), [&](Index group, Matrix& part) {
      std::vector<Index> places;
      for (Index i = 0; i < part.rows(); ++i) {
        if (part.row(i).array().isNaN().any()) places.push_back(i);
      }
      if (places.empty()) return;
      Matrix incomplete = part(places, Eigen::all);
      find_incomplete(group, incomplete);
      part(places, Eigen::all) = incomplete;
    });
  }
  from_shared(rows, to);
  erase(rows, missing);
  model_.columns.put_values(table, rows, from, to, workers_);
}

void TableMover::from_shared(Matrix& rows, std::span<const Index> groups) const {
  by_group(rows, groups, model_.flow.num_groups(), [&](Index group, Matrix& part) {
    model_.flow.inverse_in_place(group, Rows(part), nullptr, workers_);
  });
}

// On the way there, missing coordinates were expected from the others. So those of the shared space
// are wanted that lead to a row whose missing coordinates are just what is expected in it.
void TableMover::find_incomplete(Index group, Matrix& rows) const {
  const Mask missing = missing_in(rows);
  const auto expect = [&](Matrix& values) {
    erase(values, missing);
    model_.columns.fill_missing(Rows(values), group);
    model_.flow.forward_in_place(group, Rows(values), nullptr, workers_);
  };
  Matrix guess = rows;
  expect(guess);
  for (int round = 0; round < kMostRounds; ++round) {
    Matrix next = missing.select(guess, rows);
    guess = next;
    model_.flow.inverse_in_place(group, Rows(next), nullptr, workers_);
    expect(next);
    const double change = missing.select((next - guess).array(), 0).abs().maxCoeff();
    guess = next;
    if (!(change > kSettled)) break;
  }
  rows = missing.select(guess, rows);
}

}  // namespace conflux

// Flow::move: rows of mixed groups, gathered by the maps that they take.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "conflux/flow/flow.h"
#include "core/finite.h"
#include "flow/block_size.h"

namespace conflux {

namespace {

// Stands for the shared space where a route names no group.
constexpr Index kShared = -1;

Index group_at(std::span<const Index> groups, Index row) {
  if (groups.empty()) return kShared;
  return groups[groups.size() == 1 ? 0 : static_cast<std::size_t>(row)];
}

// Rows that take the same maps and fit into the cache: order[begin] to order[end - 1].
struct Batch {
  Index label;
  Index from;
  Index to;
  Index begin;
  Index end;
};

// Stable, so that the rows of a batch are in the order of the caller.
void sort_by_group(std::span<const Index> groups, Index num_groups, std::vector<Index>& order) {
  std::vector<Index> place(static_cast<std::size_t>(num_groups) + 1, 0);
  for (const Index group : groups) ++place[static_cast<std::size_t>(group) + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<Index> sorted(order.size());
  for (const Index row : order) {
    const auto group = static_cast<std::size_t>(groups[static_cast<std::size_t>(row)]);
    sorted[static_cast<std::size_t>(place[group]++)] = row;
  }
  order = std::move(sorted);
}

// The rows of a call, cut into batches.
class Batches {
 public:
  Batches(const Route& route, Index rows, Index cols, Index num_groups) {
    if (route.from.size() > 1 || route.to.size() > 1 || route.labels.size() > 1) {
      order_.resize(static_cast<std::size_t>(rows));
      std::iota(order_.begin(), order_.end(), Index{0});
      if (route.labels.size() > 1) {
        std::stable_sort(order_.begin(), order_.end(), [&](Index a, Index b) {
          return route.labels[static_cast<std::size_t>(a)] <
                 route.labels[static_cast<std::size_t>(b)];
        });
      }
      if (route.to.size() > 1) sort_by_group(route.to, num_groups, order_);
      if (route.from.size() > 1) sort_by_group(route.from, num_groups, order_);
    }
    const Index most = rows_per_block(cols);
    for (Index i = 0; i < rows; ++i) {
      const Index from = group_at(route.from, row(i));
      const Index to = group_at(route.to, row(i));
      const Index label = group_at(route.labels, row(i));
      if (i == 0 || batches_.back().from != from || batches_.back().to != to ||
          batches_.back().label != label || i - batches_.back().begin == most) {
        batches_.push_back({label, from, to, i, i});
      }
      batches_.back().end = i + 1;
    }
  }

  Index size() const { return static_cast<Index>(batches_.size()); }
  const Batch& operator[](Index b) const { return batches_[static_cast<std::size_t>(b)]; }
  /// The caller's number of the row in place i.
  Index row(Index i) const { return order_.empty() ? i : order_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<Index> order_;  // empty: all rows take the same maps and stay in their order
  std::vector<Batch> batches_;
};

// The first row with a value that is not finite, whichever thread finds it first.
class FirstBadRow {
 public:
  void note(Index row) {
    Index known = row_;
    while (row < known && !row_.compare_exchange_weak(known, row)) {
    }
  }

  void refuse(const RowStore& rows) const {
    if (row_ >= rows.rows) return;
    std::vector<double> values(static_cast<std::size_t>(rows.cols));
    rows.read(row_, values.data());
    const auto bad = std::find_if(values.begin(), values.end(),
                                  [](double value) { return !std::isfinite(value); });
    throw NotFinite(row_, bad - values.begin(), *bad);
  }

 private:
  std::atomic<Index> row_ = std::numeric_limits<Index>::max();
};

}  // namespace

NotFinite::NotFinite(Index row, Index col, double value)
    : InvalidData(fmt::format("row {}, column {} is {}; drop the row or impute first.", row, col,
                              std::isnan(value) ? "NaN" : fmt::format("{}", value))),
      row_(row),
      col_(col),
      value_(value) {}

void Flow::check_groups(std::span<const Index> groups, Index rows, Index cols) const {
  if (groups.size() > 1 && static_cast<Index>(groups.size()) != rows) {
    throw InvalidData(fmt::format(
        "there are {} rows but {} groups; give one per row, or a single one for all rows.", rows,
        groups.size()));
  }
  for (const Index group : groups) check(group, cols);
}

void Flow::move(const RowStore& rows, const Route& route, double* log_det,
                const Workers& workers) const {
  check(0, rows.cols);
  if (rows.rows == 0) return;
  if (route.from.empty() && route.to.empty()) {
    throw InvalidOption("the route names no group; say which group rows leave or enter.");
  }
  check_groups(route.from, rows.rows, rows.cols);
  check_groups(route.to, rows.rows, rows.cols);
  check_labels(route.labels, rows.rows);

  const Batches batches(route, rows.rows, rows.cols, num_groups());
  FirstBadRow first_bad;
  workers.for_each(batches.size(), [&](Index b) {
    const Batch& batch = batches[b];
    Matrix block(batch.end - batch.begin, rows.cols);
    for (Index i = 0; i < block.rows(); ++i) {
      const Index row = batches.row(batch.begin + i);
      rows.read(row, block.row(i).data());
      if (!all_finite(block.row(i).data(), rows.cols)) return first_bad.note(row);
    }
    std::vector<double> log_dets(log_det == nullptr ? 0 : static_cast<std::size_t>(block.rows()));
    move_labeled(batch.label, batch.from, batch.to, Rows(block),
                 log_det == nullptr ? nullptr : log_dets.data());
    for (Index i = 0; i < block.rows(); ++i) {
      const Index row = batches.row(batch.begin + i);
      if (rows.write) rows.write(row, block.row(i).data());
      if (log_det != nullptr) log_det[row] = log_dets[static_cast<std::size_t>(i)];
    }
  });
  first_bad.refuse(rows);
}

void Flow::check_labels(std::span<const Index> labels, Index rows) const {
  if (labels.size() > 1 && static_cast<Index>(labels.size()) != rows) {
    throw InvalidData(fmt::format(
        "there are {} rows but {} labels; give one per row, or a single one for all rows.", rows,
        labels.size()));
  }
  for (const Index label : labels) {
    if (label >= -1 && label < static_cast<Index>(within_.size())) continue;
    throw InvalidOption(
        fmt::format("there is no label {}; this flow has {} labels.", label, within_.size()));
  }
}

void Flow::move_labeled(Index label, Index from, Index to, Rows block, double* log_det) const {
  if (label < 0) return move_block(from, to, block, log_det);
  // A group that the flow of the label lacks takes the layers, on its half of the path.
  const auto [there, leaving] = from == kShared ? std::pair(this, kShared) : flow_of(from, label);
  const auto [back, entering] = to == kShared ? std::pair(there, kShared) : flow_of(to, label);
  if (from == kShared || to == kShared || there == back) {
    return (from == kShared ? back : there)->move_block(leaving, entering, block, log_det);
  }
  there->move_forward(leaving, block, log_det);
  back->move_back(entering, block, log_det);
}

void Flow::move_block(Index from, Index to, Rows block, double* log_det) const {
  if (to == kShared) return move_forward(from, block, log_det);
  if (from == kShared) return move_back(to, block, log_det);
  move_across(from, to, block, log_det);
}

void Flow::move(const SampleRows& rows, const Route& route, Rows out, double* log_det,
                const Workers& workers) const {
  if (out.rows() != rows.rows() || out.cols() != rows.cols()) {
    throw InvalidData(
        fmt::format("{} x {} values are moved into a space of {} x {}; make it equal.", rows.rows(),
                    rows.cols(), out.rows(), out.cols()));
  }
  move({.rows = rows.rows(),
        .cols = rows.cols(),
        .read = [&](Index row, double* to) { rows.copy_row(row, to); },
        .write = [&](Index row,
                     const double* moved) { std::copy_n(moved, out.cols(), out.row(row)); }},
       route, log_det, workers);
}

}  // namespace conflux

// Where rows of mixed groups come from, where they go, and where a caller keeps them.

#pragma once

#include <functional>
#include <span>

#include "conflux/core/error.h"
#include "conflux/core/index.h"

namespace conflux {

/// The groups that rows leave and enter. Each list has one group per row, a single one for all
/// rows, or none: rows without a group to leave are in the shared space, rows without a group to
/// enter stay there. The lists are borrowed.
struct Route {
  std::span<const Index> from = {};
  std::span<const Index> to = {};

  static Route to_shared(std::span<const Index> from) { return {.from = from}; }
  static Route from_shared(std::span<const Index> to) { return {.to = to}; }
  static Route between(std::span<const Index> from, std::span<const Index> to) {
    return {.from = from, .to = to};
  }
};

/// Rows wherever a caller keeps them: in an array with gaps, or in the columns of a table. Both
/// functions are called from several threads, each time for another row.
struct RowStore {
  Index rows = 0;
  Index cols = 0;
  /// Copies a row into `out`.
  std::function<void(Index row, double* out)> read;
  /// Takes the moved row; may overwrite the row that was read. Unset: moved rows are not wanted.
  std::function<void(Index row, const double* moved)> write = {};
};

/// A value that no map can move, NaN or an infinity, and its place, so that a caller can name the
/// file and the column.
class NotFinite : public InvalidData {
 public:
  NotFinite(Index row, Index col, double value);

  Index row() const { return row_; }
  Index col() const { return col_; }
  double value() const { return value_; }

 private:
  Index row_;
  Index col_;
  double value_;
};

}  // namespace conflux

// Tables through a model with columns: values in, values out.
//
//   const TableMover mover(model, workers);
//   mover.transform(block, groups);       // features become those of the shared space
//   mover.translate(block, groups, to);   // features become values that group `to` can have
//
// A missing cell stays missing. A flow whose layers take gaps moves the other features of its row
// as rows usually move. Any other flow moves them as if the cell had, in the shared space, the
// value that is expected given them, so that the way back is known.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conflux/core/parallel.h"
#include "conflux/flow/flow.h"
#include "conflux/model/model.h"
#include "conflux/tables/table.h"

namespace conflux {

enum class Direction {
  kToShared,       ///< into the shared space
  kFromShared,     ///< from the shared space into a group
  kBetweenGroups,  ///< from one group into another
};

/// Which maps rows take. `from` is ignored by kFromShared, `to` by kToShared.
Route route_of(Direction direction, std::span<const Index> from, std::span<const Index> to);

class TableMover {
 public:
  /// Both must outlive this; the model has columns.
  TableMover(const Model& model, const Workers& workers);

  /// groups[i] is the group of row i. Other columns of the table are left alone.
  void transform(Table& table, std::span<const Index> groups) const;
  /// From the shared space into groups to[i]; from[i] is the group that row i once came from, -1 if
  /// nobody knows. A row that returns to its own group has the values it had.
  void inverse(Table& table, std::span<const Index> from, std::span<const Index> to) const;
  void translate(Table& table, std::span<const Index> from, std::span<const Index> to) const;

  /// One of the three.
  void move(Direction direction, Table& table, std::span<const Index> from,
            std::span<const Index> to) const;

  /// Rows of the last table, increasing, that do not return exactly. They have missing cells: where
  /// a flow jumps, there may be no place in the shared space that does.
  const std::vector<Index>& inexact_rows() const { return inexact_; }

 private:
  void to_shared(Matrix& rows, std::span<const std::uint64_t> names,
                 std::span<const Index> groups) const;
  void from_shared(Matrix& rows, std::span<const Index> groups) const;
  /// Moves the rows without gaps, and returns the others by their groups.
  std::vector<std::vector<Index>> move_complete(Matrix& rows, const Route& route,
                                                std::span<const Index> groups) const;

  const Model& model_;
  const Workers& workers_;
  ExpectedRow shared_;
  mutable std::vector<Index> inexact_;
};

}  // namespace conflux

// Tables through a model with columns: values in, values out.
//
//   const TableMover mover(model, workers);
//   mover.transform(block, groups);       // features become those of the shared space
//   mover.translate(block, groups, to);   // features become values that group `to` can have
//
// Rows whose label is known take the maps of their label, if the model has any and the table the
// column of the labels.
//
// A missing cell stays missing. If all layers accept missing coordinates, the other features of the
// row are moved without them. Any other flow moves them as if the cell had its expected value in
// the shared space, given the other features, so that the inverse is exact.

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

/// For each row of a table, the flow of its label (Flow::within()). Empty if the model has none, or
/// the table has no column of labels.
std::vector<Index> labels_of_table(const Model& model, const Table& table);

class TableMover {
 public:
  /// Both must outlive this; the model has columns.
  TableMover(const Model& model, const Workers& workers);

  /// The flow of the label of each row of the next table, if the caller knows better than its
  /// columns; borrowed. Empty: the columns of the table tell.
  void use_labels(std::span<const Index> of_rows) { given_labels_ = of_rows; }

  /// groups[i] is the group of row i. Other columns of the table are left alone.
  void transform(Table& table, std::span<const Index> groups) const;
  /// From the shared space into groups to[i]; from[i] is the group that row i came from, -1 if
  /// unknown. A row that returns to its own group has the values it had.
  void inverse(Table& table, std::span<const Index> from, std::span<const Index> to) const;
  void translate(Table& table, std::span<const Index> from, std::span<const Index> to) const;

  /// One of the three.
  void move(Direction direction, Table& table, std::span<const Index> from,
            std::span<const Index> to) const;

  /// Rows of the last table, increasing, that do not return exactly. They have missing cells: where
  /// a flow jumps, there may be no place in the shared space that does.
  const std::vector<Index>& inexact_rows() const { return inexact_; }

 private:
  /// Rows of one group and one label.
  struct Incomplete {
    Index group = 0;
    Index label = -1;
    std::vector<Index> rows = {};
  };

  void to_shared(Matrix& rows, std::span<const std::uint64_t> names, std::span<const Index> groups,
                 std::span<const Index> labels) const;
  void from_shared(Matrix& rows, std::span<const Index> groups,
                   std::span<const Index> labels) const;
  std::vector<Index> labels_for(const Table& table) const;
  /// Moves the rows without gaps, and returns the others.
  std::vector<Incomplete> move_complete(Matrix& rows, const Route& route,
                                        std::span<const Index> groups) const;

  const Model& model_;
  const Workers& workers_;
  ExpectedRow shared_;
  std::span<const Index> given_labels_ = {};
  mutable std::vector<Index> inexact_;
};

}  // namespace conflux

// Tables through a model with columns: values in, values out.
//
//   const TableMover mover(model, workers);
//   mover.transform(block, groups);       // features become those of the shared space
//   mover.translate(block, groups, to);   // features become values that group `to` can have
//
// A missing cell stays missing. The other features of its row move as if it had the value that is
// expected given them; the way back finds the row that did.

#pragma once

#include <span>

#include "conflux/core/parallel.h"
#include "conflux/tables/table.h"
#include "conflux/training/model.h"

namespace conflux {

class TableMover {
 public:
  /// Both must outlive this; the model has columns.
  TableMover(const Model& model, const Workers& workers) : model_(model), workers_(workers) {}

  /// groups[i] is the group of row i. Other columns of the table are left alone.
  void transform(Table& table, std::span<const Index> groups) const;
  /// From the shared space into groups to[i]; from[i] is the group that row i once came from, -1 if
  /// nobody knows. A row that returns to its own group has the values it had.
  void inverse(Table& table, std::span<const Index> from, std::span<const Index> to) const;
  void translate(Table& table, std::span<const Index> from, std::span<const Index> to) const;

 private:
  void to_shared(Matrix& rows, std::span<const Index> groups) const;
  void from_shared(Matrix& rows, std::span<const Index> groups) const;
  void find_incomplete(Index group, Matrix& rows) const;

  const Model& model_;
  const Workers& workers_;
};

}  // namespace conflux

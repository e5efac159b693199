// Rows of a block of a table through a model.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conflux/model/model.h"
#include "conflux/model/table_mover.h"
#include "conflux/tables/table.h"

namespace conflux::app {

/// Moves the rows of one block at a time; which group a row comes from and goes to is known by
/// name.
class RowMover {
 public:
  /// Rows go to the group called `to`; when it is empty, each to its own. Without a direction rows
  /// stay what they are.
  RowMover(const Model& model, std::optional<Direction> direction, const std::string& to,
           int threads);

  bool needs_group() const { return direction_ != Direction::kFromShared || to_.empty(); }

  /// Log-densities of rows that have not been moved yet.
  std::vector<double> densities(const Matrix& rows, std::span<const Index> groups) const;

  /// The same for a table of values, whose unit is changed by the scale of each feature.
  std::vector<double> densities_of_values(const Table& block, std::span<const Index> groups) const;

  /// Features that mean something to the columns of the model.
  void move_values(Table& block, std::span<const Index> groups) const;

  /// Places of the rows, so far, whose inverse is not exact; see TableMover.
  const std::vector<std::string>& inexact_rows() const { return inexact_rows_; }

  /// Moves rows and puts them into the columns of the block that they came from.
  void move(const Matrix& rows, std::span<const Index> groups,
            const std::vector<std::string>& features, Table& block) const;

 private:
  const Model& model_;
  std::optional<Direction> direction_;
  Workers workers_;
  std::vector<Index> to_;  // empty: each row's own group
  mutable std::vector<std::string> inexact_rows_;
};

}  // namespace conflux::app

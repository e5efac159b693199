// Rows of a Python caller as groups of coordinates, with what their columns mean: what the command
// makes of a table.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "caller_groups.h"
#include "caller_table.h"
#include "conflux/dataset/dataset.h"

namespace conflux::python {

/// An array or a table of the caller's.
class CallerRows {
 public:
  /// `x` is an array with as many columns as there are names, or a table, which has its own.
  CallerRows(const pybind11::object& x, Names names);

  bool is_array() const { return array_.has_value(); }
  const pybind11::array& array() const { return *array_; }
  Index rows() const { return samples_ ? samples_->rows() : table_->num_rows(); }
  const Names& names() const { return names_; }
  /// A copy of an array. Does not need the GIL.
  SharedTable table(const Workers& workers) const;

 private:
  std::optional<pybind11::array> array_;
  std::optional<Samples> samples_;
  SharedTable table_;
  Names names_;
};

class CallerData {
 public:
  /// Finds out what the columns mean; without options the rows of an array are coordinates. Names
  /// of the columns are RowFacts::feature_names.
  CallerData(const pybind11::object& x, RowFacts facts, const std::optional<ColumnOptions>& options,
             int threads);
  /// Rows of groups that are known, through columns that are: those of a model, or of other data.
  /// Without columns they are coordinates.
  CallerData(const Columns& columns, const Names& known_groups, const pybind11::object& x,
             RowFacts facts, int threads);

  const GroupSet& groups() const { return data_.groups; }
  const Columns& columns() const { return data_.columns; }
  /// Null unless there are several rows of one subject.
  const RowsOfSubjects* subjects() const { return data_.subjects ? &*data_.subjects : nullptr; }
  /// The dataset for a caller that keeps the rows; they are moved out.
  Dataset take(std::string group_column, std::string label_column);
  /// The row of the caller that is row `i` of group `m`.
  Index row_of(std::size_t m, Index i) const {
    return data_.positions[m][static_cast<std::size_t>(i)];
  }
  Index num_rows() const { return rows_.rows(); }
  /// Rows with missing cells that were left out.
  Index dropped() const { return data_.dropped_rows; }

 private:
  /// Whether no column means anything but itself, so that rows are coordinates.
  bool as_they_are(const Table& table) const;
  void borrow(const Workers& workers);
  void keep(std::vector<Matrix> coordinates);
  void set_labels();

  RowFacts facts_;
  CallerRows rows_;
  std::optional<CallerGroups> caller_;
  Dataset data_;
};

/// Rows with a missing cell as it is expected in their groups, in the order of the rows.
Matrix known_coordinates(const Columns& columns, const Table& table, std::span<const Index> groups,
                         const Workers& workers);

}  // namespace conflux::python

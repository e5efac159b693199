// Arrays of Python callers as rows of samples.
//
// Rows whose numbers lie one after the other are read in place, whatever the distance between them.
// Anything else is gathered row by row while reading.

#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux::python {

/// Rows per task in loops over a caller's rows that are shared among threads.
inline constexpr Index kRowsPerTask = 1024;

/// A borrowed two-dimensional array of float or double with any strides. Does not need the GIL.
class Samples {
 public:
  /// Throws TypeError for arrays of other types, InvalidData for other numbers of dimensions.
  explicit Samples(const pybind11::array& array);

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }

  bool single() const { return single_; }
  /// Whether the engine can read the rows in place.
  bool in_place() const;
  /// Rows first, first + step, ...; only if in_place().
  SampleRows view(Index first, Index step, Index count) const;
  void copy_row(Index row, double* out) const;

  bool all_finite(const Workers& workers) const { return first_not_finite(workers) == rows_; }
  /// Throws InvalidData that names the first value that is not finite. `names` may be empty.
  void check_finite(const std::vector<std::string>& names, const Workers& workers) const;
  [[noreturn]] void refuse(Index row, const std::vector<std::string>& names) const;

 private:
  double at(Index row, Index col) const;
  /// The first row with a value that is not finite; rows() if there is none.
  Index first_not_finite(const Workers& workers) const;

  const char* data_;
  Index rows_;
  Index cols_;
  Index row_stride_;  // in bytes
  Index col_stride_;
  bool single_;
};

/// Where the rows of one group are: at equal distances, or anywhere.
class RowPositions {
 public:
  Index count() const { return count_; }
  bool regular() const { return positions_.empty(); }
  Index first() const { return first_; }
  Index step() const { return step_; }
  Index operator[](Index i) const {
    return regular() ? first_ + i * step_ : positions_[static_cast<std::size_t>(i)];
  }

 private:
  friend std::vector<RowPositions> positions_of(std::span<const std::int64_t>, Index);

  Index count_ = 0;
  Index first_ = 0;
  Index step_ = 1;
  std::vector<Index> positions_;
};

/// The rows of each group, in order, from the group number of each row.
std::vector<RowPositions> positions_of(std::span<const std::int64_t> groups, Index num_groups);

using GroupNumbers = pybind11::array_t<std::int64_t, pybind11::array::c_style>;
using Numbers = pybind11::array_t<double, pybind11::array::c_style | pybind11::array::forcecast>;

inline std::span<const double> span_of(const Numbers& numbers) {
  return {numbers.data(), static_cast<std::size_t>(numbers.size())};
}

/// A matrix of the caller's; converted unless it can be read in place. Must outlive the rows.
class Cloud {
 public:
  Cloud(const pybind11::array& array, const char* name);
  ConstRows rows() const { return rows_; }

 private:
  Matrix copy_;
  ConstRows rows_;
};

pybind11::array_t<double> to_array(const Matrix& matrix);

}  // namespace conflux::python

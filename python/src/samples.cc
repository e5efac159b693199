#include "samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "conflux/core/error.h"
#include "core/finite.h"

namespace py = pybind11;

namespace conflux::python {

Samples::Samples(const py::array& array) : single_(py::isinstance<py::array_t<float>>(array)) {
  if (!single_ && !py::isinstance<py::array_t<double>>(array)) {
    throw py::type_error("the samples are no array of float32 or float64; convert them.");
  }
  if (array.ndim() != 2) {
    throw InvalidData(
        fmt::format("the samples have {} dimensions; give rows and columns.", array.ndim()));
  }
  data_ = static_cast<const char*>(array.data());
  rows_ = array.shape(0);
  cols_ = array.shape(1);
  row_stride_ = array.strides(0);
  col_stride_ = array.strides(1);
}

bool Samples::in_place() const {
  const Index size = single_ ? sizeof(float) : sizeof(double);
  return (col_stride_ == size || cols_ == 1) && row_stride_ >= 0 && row_stride_ % size == 0;
}

SampleRows Samples::view(Index first, Index step, Index count) const {
  const char* start = data_ + first * row_stride_;
  const auto view_of = [&](const auto* numbers) {
    const auto size = static_cast<Index>(sizeof(*numbers));
    return MatrixView(numbers, count, cols_, step * row_stride_ / size);
  };
  if (single_) return view_of(reinterpret_cast<const float*>(start));
  return view_of(reinterpret_cast<const double*>(start));
}

double Samples::at(Index row, Index col) const {
  const char* place = data_ + row * row_stride_ + col * col_stride_;
  return single_ ? static_cast<double>(*reinterpret_cast<const float*>(place))
                 : *reinterpret_cast<const double*>(place);
}

void Samples::copy_row(Index row, double* out) const {
  const char* place = data_ + row * row_stride_;
  if (single_) {
    for (Index j = 0; j < cols_; ++j) {
      out[j] = static_cast<double>(*reinterpret_cast<const float*>(place + j * col_stride_));
    }
  } else if (col_stride_ == sizeof(double)) {
    std::copy_n(reinterpret_cast<const double*>(place), cols_, out);
  } else {
    for (Index j = 0; j < cols_; ++j) {
      out[j] = *reinterpret_cast<const double*>(place + j * col_stride_);
    }
  }
}

Index Samples::first_not_finite(const Workers& workers) const {
  std::atomic<Index> first_bad = rows_;
  workers.for_each_block(rows_, kRowsPerTask, [&](Index begin, Index end) {
    std::vector<double> row(static_cast<std::size_t>(cols_));
    for (Index i = begin; i < end; ++i) {
      const double* values = row.data();
      if (in_place() && !single_) {
        values = view(i, 1, 1).data();
      } else {
        copy_row(i, row.data());
      }
      if (conflux::all_finite(values, cols_)) continue;
      Index known = first_bad;
      while (i < known && !first_bad.compare_exchange_weak(known, i)) {
      }
      return;
    }
  });
  return first_bad;
}

void Samples::check_finite(const std::vector<std::string>& names, const Workers& workers) const {
  const Index first = first_not_finite(workers);
  if (first < rows_) refuse(first, names);
}

void Samples::refuse(Index row, const std::vector<std::string>& names) const {
  Index col = 0;
  while (col + 1 < cols_ && std::isfinite(at(row, col))) ++col;
  const double value = at(row, col);
  throw InvalidData(fmt::format(
      "row {}, column {}{} is {}; drop the row or impute first.", row, col,
      names.empty() ? "" : fmt::format(" (\"{}\")", names[static_cast<std::size_t>(col)]),
      std::isnan(value) ? "NaN" : fmt::format("{}", value)));
}

std::vector<RowPositions> positions_of(std::span<const std::int64_t> groups, Index num_groups) {
  std::vector<RowPositions> out(static_cast<std::size_t>(num_groups));
  std::vector<bool> regular(out.size(), true);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto m = static_cast<std::size_t>(groups[i]);
    if (m >= out.size()) throw InvalidData("a row has a group number that does not exist.");
    RowPositions& rows = out[m];
    const auto row = static_cast<Index>(i);
    if (rows.count_ == 0) rows.first_ = row;
    if (rows.count_ == 1) rows.step_ = row - rows.first_;
    if (row != rows.first_ + rows.count_ * rows.step_) regular[m] = false;
    ++rows.count_;
  }
  for (std::size_t m = 0; m < out.size(); ++m) {
    if (!regular[m]) out[m].positions_.reserve(static_cast<std::size_t>(out[m].count_));
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto m = static_cast<std::size_t>(groups[i]);
    if (!regular[m]) out[m].positions_.push_back(static_cast<Index>(i));
  }
  return out;
}

Cloud::Cloud(const py::array& array, const char* name) {
  const Samples samples(array);
  samples.check_finite({}, Workers(1));
  if (samples.rows() == 0) throw InvalidData(fmt::format("{} has no rows; give some.", name));
  if (samples.in_place() && !samples.single()) {
    rows_ = samples.view(0, 1, samples.rows()).doubles();
    return;
  }
  copy_.resize(samples.rows(), samples.cols());
  for (Index i = 0; i < samples.rows(); ++i) samples.copy_row(i, copy_.row(i).data());
  rows_ = ConstRows(copy_);
}

py::array_t<double> to_array(const Matrix& matrix) {
  py::array_t<double> out({matrix.rows(), matrix.cols()});
  std::copy_n(matrix.data(), matrix.size(), out.mutable_data());
  return out;
}

}  // namespace conflux::python

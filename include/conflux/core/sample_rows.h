// Borrowed rows of samples as a caller stores them: in double or in single precision.
//
// Engines that fit read single rows through row(), which converts when it must; what needs doubles
// in place asks for doubles().

#pragma once

#include <algorithm>
#include <span>
#include <variant>
#include <vector>

#include "conflux/core/matrix.h"

namespace conflux {

using SingleMatrix = MatrixOf<float>;
using ConstSingleRows = MatrixView<const float>;

class SampleRows {
 public:
  SampleRows() = default;
  SampleRows(ConstRows rows) : view_(rows) {}
  SampleRows(ConstSingleRows rows) : view_(rows) {}
  SampleRows(const Matrix& rows) : view_(ConstRows(rows)) {}

  /// Calls f with the view of doubles or of floats.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), view_);
  }

  Index rows() const {
    return visit([](const auto& view) { return view.rows(); });
  }
  Index cols() const {
    return visit([](const auto& view) { return view.cols(); });
  }
  bool single() const { return std::holds_alternative<ConstSingleRows>(view_); }

  double operator()(Index i, Index j) const {
    return single() ? static_cast<double>(singles()(i, j)) : std::get<ConstRows>(view_)(i, j);
  }

  /// Row i: where it is if it holds doubles, otherwise a copy in `buffer`.
  const double* row(Index i, std::vector<double>& buffer) const {
    if (!single()) return std::get<ConstRows>(view_).row(i);
    buffer.resize(static_cast<std::size_t>(cols()));
    copy_row(i, buffer.data());
    return buffer.data();
  }
  void copy_row(Index i, double* out) const {
    visit([&](const auto& view) { std::copy_n(view.row(i), view.cols(), out); });
  }

  SampleRows middle_rows(Index begin, Index count) const {
    return visit([&](const auto& view) { return SampleRows(view.middle_rows(begin, count)); });
  }

  ConstSingleRows singles() const { return std::get<ConstSingleRows>(view_); }
  /// The rows in place; throws Error when they are in single precision.
  ConstRows doubles() const {
    if (single()) refuse();
    return std::get<ConstRows>(view_);
  }
  ConstRows::EigenMap eigen() const { return doubles().eigen(); }
  std::span<const double> row_span(Index i) const { return doubles().row_span(i); }
  const double* data() const { return doubles().data(); }

  /// A copy in double precision.
  Matrix to_matrix() const {
    return visit([](const auto& view) { return Matrix(view.eigen().template cast<double>()); });
  }

 private:
  [[noreturn]] static void refuse();

  std::variant<ConstRows, ConstSingleRows> view_;
};

}  // namespace conflux

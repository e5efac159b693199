// Matrices whose rows are samples.
//
// Matrix owns its numbers; MatrixView borrows them, with a stride between rows, so that tables of
// callers are read without a copy. Both are row-major: a row is contiguous.

#pragma once

#include <Eigen/Core>
#include <span>
#include <type_traits>

#include "conflux/core/index.h"

namespace conflux {

template <class Scalar>
using MatrixOf = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Matrix = MatrixOf<double>;
using Vector = Eigen::VectorXd;

/// Borrowed rows x cols numbers; row i starts at data + i * stride.
template <class T>
class MatrixView {
 public:
  using Scalar = std::remove_const_t<T>;
  using Owner = std::conditional_t<std::is_const_v<T>, const MatrixOf<Scalar>, MatrixOf<Scalar>>;
  using EigenMap = Eigen::Map<Owner, Eigen::Unaligned, Eigen::OuterStride<>>;

  MatrixView() = default;
  MatrixView(T* data, Index rows, Index cols, Index stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}
  MatrixView(T* data, Index rows, Index cols) : MatrixView(data, rows, cols, cols) {}
  MatrixView(Owner& owner) : MatrixView(owner.data(), owner.rows(), owner.cols()) {}
  template <class U>
  requires(std::is_const_v<T>&& std::is_same_v<U, Scalar>) MatrixView(const MatrixView<U>& other)
      : MatrixView(other.data(), other.rows(), other.cols(), other.stride()) {}

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index stride() const { return stride_; }
  T* data() const { return data_; }
  T* row(Index i) const { return data_ + i * stride_; }
  std::span<T> row_span(Index i) const { return {row(i), static_cast<std::size_t>(cols_)}; }
  T& operator()(Index i, Index j) const { return data_[i * stride_ + j]; }

  MatrixView middle_rows(Index begin, Index count) const {
    return {data_ + begin * stride_, count, cols_, stride_};
  }
  EigenMap eigen() const { return {data_, rows_, cols_, Eigen::OuterStride<>(stride_)}; }

 private:
  T* data_ = nullptr;
  Index rows_ = 0;
  Index cols_ = 0;
  Index stride_ = 0;
};

using Rows = MatrixView<double>;
using ConstRows = MatrixView<const double>;

}  // namespace conflux

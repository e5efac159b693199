// Products of tall tables with narrow matrices.
//
// A search looks along K directions with K far below the number of features, so its products are
// tall times narrow. Each output number is one sum, added up in the order of the contracted index
// whatever the block, the thread or the vector width: a row's result does not depend on the rows
// around it.
//
// Narrow matrices are padded: a row of K numbers takes padded_width(K) places, with zeros after the
// K.

#pragma once

#include <vector>

#include "conflux/core/matrix.h"

namespace conflux::kernels {

/// K rounded up to whole cache lines.
template <class T>
constexpr Index padded_width(Index k) {
  constexpr Index line = 64 / static_cast<Index>(sizeof(T));
  return (k + line - 1) / line * line;
}

/// The rows of a narrow matrix, padded.
template <class T = double>
std::vector<T> padded(const Matrix& narrow) {
  const Index width = padded_width<T>(narrow.cols());
  std::vector<T> out(static_cast<std::size_t>(narrow.rows() * width), T{0});
  for (Index j = 0; j < narrow.rows(); ++j) {
    for (Index k = 0; k < narrow.cols(); ++k) out[j * width + k] = static_cast<T>(narrow(j, k));
  }
  return out;
}

/// out (rows x width) = x (rows x dim) times w (dim x width); width is a padded width, and the
/// stride of w and out.
void project(const float* x, Index x_stride, Index rows, Index dim, const float* w, Index width,
             float* out);
void project(const double* x, Index x_stride, Index rows, Index dim, const double* w, Index width,
             double* out);

/// a times b, for matrices of any shape.
Matrix product(const Matrix& a, const Matrix& b);

/// out (dim x width, rows begin .. end only) += transpose of x (rows x dim) times r (rows x width).
void accumulate(const float* x, Index x_stride, Index rows, Index begin, Index end, const float* r,
                Index width, float* out);
void accumulate(const double* x, Index x_stride, Index rows, Index begin, Index end,
                const double* r, Index width, double* out);

/// Columns begin .. end of the upper triangle of `out` += factor times transpose of x times x.
void add_gram(const Matrix& x, double factor, Index begin, Index end, Matrix& out);

/// x (rows x dim) += c (rows x k) times v (k x dim).
void expand(float* x, Index x_stride, Index rows, Index dim, const float* c, Index c_stride,
            Index k, const float* v, Index v_stride);
void expand(double* x, Index x_stride, Index rows, Index dim, const double* c, Index c_stride,
            Index k, const double* v, Index v_stride);

}  // namespace conflux::kernels

#include "kernels/product.h"

#include <algorithm>

// Machines older than SSE4 take the plain one: every instruction set costs two seconds to compile.
#define HWY_DISABLED_TARGETS HWY_SSSE3
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace conflux::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows of w that stay in the first-level cache together with a tile of x.
constexpr Index kContractionBlock = 64;

// Every kernel below works on a tile of `Lines` x `Vectors` registers of sums. 3 x 4 fills the 16
// registers of AVX2: 12 sums, 3 or 4 operands. AVX-512 has twice as many registers.
constexpr int kProjectedLines = HWY_TARGET <= HWY_AVX3 ? 6 : 3;

// out[i, :] for `Lines` rows, contracted over columns begin .. end of x.
template <int Lines, int Vectors, class D, class T>
HWY_INLINE void project_tile(D d, const T* x, Index x_stride, Index begin, Index end, const T* w,
                             Index width, T* out) {
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  hn::Vec<D> sum[Lines][Vectors];
  for (int l = 0; l < Lines; ++l) {
    for (int v = 0; v < Vectors; ++v) {
      sum[l][v] = begin == 0 ? hn::Zero(d) : hn::LoadU(d, out + l * width + v * lanes);
    }
  }
  for (Index j = begin; j < end; ++j) {
    hn::Vec<D> operand[Vectors];
    for (int v = 0; v < Vectors; ++v) operand[v] = hn::LoadU(d, w + j * width + v * lanes);
    for (int l = 0; l < Lines; ++l) {
      const auto factor = hn::Set(d, x[l * x_stride + j]);
      for (int v = 0; v < Vectors; ++v) sum[l][v] = hn::MulAdd(factor, operand[v], sum[l][v]);
    }
  }
  for (int l = 0; l < Lines; ++l) {
    for (int v = 0; v < Vectors; ++v) hn::StoreU(sum[l][v], d, out + l * width + v * lanes);
  }
}

template <int Vectors, class D, class T>
HWY_INLINE void project_columns(D d, const T* x, Index x_stride, Index rows, Index dim, const T* w,
                                Index width, T* out) {
  for (Index begin = 0; begin < dim; begin += kContractionBlock) {
    const Index end = std::min(dim, begin + kContractionBlock);
    Index i = 0;
    for (; i + kProjectedLines <= rows; i += kProjectedLines) {
      project_tile<kProjectedLines, Vectors>(d, x + i * x_stride, x_stride, begin, end, w, width,
                                             out + i * width);
    }
    for (; i < rows; ++i) {
      project_tile<1, Vectors>(d, x + i * x_stride, x_stride, begin, end, w, width,
                               out + i * width);
    }
  }
}

template <class T>
HWY_INLINE void project_all(const T* x, Index x_stride, Index rows, Index dim, const T* w,
                            Index width, T* out) {
  constexpr Index kRowBlock = 48;  // stays in the second-level cache while k runs over the tiles
  const hn::ScalableTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (; rows > 0; rows -= kRowBlock, x += kRowBlock * x_stride, out += kRowBlock * width) {
    const Index count = std::min(rows, kRowBlock);
    Index k = 0;
    for (; k + 4 * lanes <= width; k += 4 * lanes) {
      project_columns<4>(d, x, x_stride, count, dim, w + k, width, out + k);
    }
    for (; k + 2 * lanes <= width; k += 2 * lanes) {
      project_columns<2>(d, x, x_stride, count, dim, w + k, width, out + k);
    }
    for (; k < width; k += lanes) {
      project_columns<1>(d, x, x_stride, count, dim, w + k, width, out + k);
    }
  }
}

// out[j, :] for `Lines` columns of x, contracted over all its rows.
template <int Lines, int Vectors, class D, class T>
HWY_INLINE void accumulate_tile(D d, const T* x, Index x_stride, Index rows, const T* r,
                                Index width, T* out) {
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  hn::Vec<D> sum[Lines][Vectors];
  for (int l = 0; l < Lines; ++l) {
    for (int v = 0; v < Vectors; ++v) sum[l][v] = hn::LoadU(d, out + l * width + v * lanes);
  }
  for (Index i = 0; i < rows; ++i) {
    hn::Vec<D> operand[Vectors];
    for (int v = 0; v < Vectors; ++v) operand[v] = hn::LoadU(d, r + i * width + v * lanes);
    for (int l = 0; l < Lines; ++l) {
      const auto factor = hn::Set(d, x[i * x_stride + l]);
      for (int v = 0; v < Vectors; ++v) sum[l][v] = hn::MulAdd(factor, operand[v], sum[l][v]);
    }
  }
  for (int l = 0; l < Lines; ++l) {
    for (int v = 0; v < Vectors; ++v) hn::StoreU(sum[l][v], d, out + l * width + v * lanes);
  }
}

template <int Vectors, class D, class T>
HWY_INLINE void accumulate_columns(D d, const T* x, Index x_stride, Index rows, Index begin,
                                   Index end, const T* r, Index width, T* out) {
  Index j = begin;
  for (; j + 3 <= end; j += 3) {
    accumulate_tile<3, Vectors>(d, x + j, x_stride, rows, r, width, out + j * width);
  }
  for (; j < end; ++j) {
    accumulate_tile<1, Vectors>(d, x + j, x_stride, rows, r, width, out + j * width);
  }
}

template <class T>
HWY_INLINE void accumulate_all(const T* x, Index x_stride, Index rows, Index begin, Index end,
                               const T* r, Index width, T* out) {
  constexpr Index kRowBlock = 64;  // its part of r stays in the first-level cache
  const hn::ScalableTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (; rows > 0; rows -= kRowBlock, x += kRowBlock * x_stride, r += kRowBlock * width) {
    const Index count = std::min(rows, kRowBlock);
    Index k = 0;
    for (; k + 4 * lanes <= width; k += 4 * lanes) {
      accumulate_columns<4>(d, x, x_stride, count, begin, end, r + k, width, out + k);
    }
    for (; k + 2 * lanes <= width; k += 2 * lanes) {
      accumulate_columns<2>(d, x, x_stride, count, begin, end, r + k, width, out + k);
    }
    for (; k < width; k += lanes) {
      accumulate_columns<1>(d, x, x_stride, count, begin, end, r + k, width, out + k);
    }
  }
}

// x[i, :] += sum over k of c[i, k] v[k, :] for `Lines` rows.
template <int Lines, int Vectors, class D, class T>
HWY_INLINE void expand_tile(D d, T* x, Index x_stride, const T* c, Index c_stride, Index k,
                            const T* v, Index v_stride) {
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  hn::Vec<D> sum[Lines][Vectors];
  for (int l = 0; l < Lines; ++l) {
    for (int n = 0; n < Vectors; ++n) sum[l][n] = hn::LoadU(d, x + l * x_stride + n * lanes);
  }
  for (Index a = 0; a < k; ++a) {
    hn::Vec<D> operand[Vectors];
    for (int n = 0; n < Vectors; ++n) operand[n] = hn::LoadU(d, v + a * v_stride + n * lanes);
    for (int l = 0; l < Lines; ++l) {
      const auto factor = hn::Set(d, c[l * c_stride + a]);
      for (int n = 0; n < Vectors; ++n) sum[l][n] = hn::MulAdd(factor, operand[n], sum[l][n]);
    }
  }
  for (int l = 0; l < Lines; ++l) {
    for (int n = 0; n < Vectors; ++n) hn::StoreU(sum[l][n], d, x + l * x_stride + n * lanes);
  }
}

template <int Vectors, class D, class T>
HWY_INLINE void expand_columns(D d, T* x, Index x_stride, Index rows, const T* c, Index c_stride,
                               Index k, const T* v, Index v_stride) {
  Index i = 0;
  for (; i + 4 <= rows; i += 4) {
    expand_tile<4, Vectors>(d, x + i * x_stride, x_stride, c + i * c_stride, c_stride, k, v,
                            v_stride);
  }
  for (; i < rows; ++i) {
    expand_tile<1, Vectors>(d, x + i * x_stride, x_stride, c + i * c_stride, c_stride, k, v,
                            v_stride);
  }
}

template <class T>
HWY_INLINE void expand_all(T* x, Index x_stride, Index rows, Index dim, const T* c, Index c_stride,
                           Index k, const T* v, Index v_stride) {
  if (rows == 0 || k == 0) return;  // Null pointers are allowed then, but no steps from them.
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index j = 0;
  for (; j + 3 * lanes <= dim; j += 3 * lanes) {
    expand_columns<3>(d, x + j, x_stride, rows, c, c_stride, k, v + j, v_stride);
  }
  for (; j + lanes <= dim; j += lanes) {
    expand_columns<1>(d, x + j, x_stride, rows, c, c_stride, k, v + j, v_stride);
  }
  for (; j < dim; ++j) {
    expand_columns<1>(one, x + j, x_stride, rows, c, c_stride, k, v + j, v_stride);
  }
}

// Highway exports functions, not templates.
#define CONFLUX_DEFINE_PRODUCTS(T, suffix)                                                      \
  void project_##suffix(const T* x, Index x_stride, Index rows, Index dim, const T* w,          \
                        Index width, T* out) {                                                  \
    project_all(x, x_stride, rows, dim, w, width, out);                                         \
  }                                                                                             \
  void accumulate_##suffix(const T* x, Index x_stride, Index rows, Index begin, Index end,      \
                           const T* r, Index width, T* out) {                                   \
    accumulate_all(x, x_stride, rows, begin, end, r, width, out);                               \
  }                                                                                             \
  void expand_##suffix(T* x, Index x_stride, Index rows, Index dim, const T* c, Index c_stride, \
                       Index k, const T* v, Index v_stride) {                                   \
    expand_all(x, x_stride, rows, dim, c, c_stride, k, v, v_stride);                            \
  }
CONFLUX_DEFINE_PRODUCTS(float, float)
CONFLUX_DEFINE_PRODUCTS(double, double)
#undef CONFLUX_DEFINE_PRODUCTS

}  // namespace HWY_NAMESPACE
}  // namespace conflux::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace conflux::kernels {

#define CONFLUX_EXPORT_PRODUCTS(T, suffix)                                                      \
  HWY_EXPORT(project_##suffix);                                                                 \
  HWY_EXPORT(accumulate_##suffix);                                                              \
  HWY_EXPORT(expand_##suffix);                                                                  \
  void project(const T* x, Index x_stride, Index rows, Index dim, const T* w, Index width,      \
               T* out) {                                                                        \
    HWY_DYNAMIC_DISPATCH(project_##suffix)(x, x_stride, rows, dim, w, width, out);              \
  }                                                                                             \
  void accumulate(const T* x, Index x_stride, Index rows, Index begin, Index end, const T* r,   \
                  Index width, T* out) {                                                        \
    HWY_DYNAMIC_DISPATCH(accumulate_##suffix)(x, x_stride, rows, begin, end, r, width, out);    \
  }                                                                                             \
  void expand(T* x, Index x_stride, Index rows, Index dim, const T* c, Index c_stride, Index k, \
              const T* v, Index v_stride) {                                                     \
    HWY_DYNAMIC_DISPATCH(expand_##suffix)                                                       \
    (x, x_stride, rows, dim, c, c_stride, k, v, v_stride);                                      \
  }
CONFLUX_EXPORT_PRODUCTS(float, float)
CONFLUX_EXPORT_PRODUCTS(double, double)
#undef CONFLUX_EXPORT_PRODUCTS

Matrix product(const Matrix& a, const Matrix& b) {
  const Index width = padded_width<double>(b.cols());
  const std::vector<double> w = padded(b);
  Matrix out(a.rows(), width);
  project(a.data(), a.cols(), a.rows(), a.cols(), w.data(), width, out.data());
  out.conservativeResize(a.rows(), b.cols());
  return out;
}

void add_gram(const Matrix& x, double factor, Index begin, Index end, Matrix& out) {
  const Index count = end - begin;
  const Index width = padded_width<double>(count);
  const std::vector<double> strip = padded(x.middleCols(begin, count));
  Matrix sums = Matrix::Zero(end, width);
  accumulate(x.data(), x.cols(), x.rows(), 0, end, strip.data(), width, sums.data());
  out.block(0, begin, end, count) += factor * sums.leftCols(count);
}

}  // namespace conflux::kernels
#endif  // HWY_ONCE

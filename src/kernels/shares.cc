#include "kernels/shares.h"

#include <limits>

// Machines older than SSE4 take the plain one: every instruction set costs two seconds to compile.
#define HWY_DISABLED_TARGETS HWY_SSSE3
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/shares.cc"
#include <hwy/foreach_target.h>

// After the line above, which includes this file for each instruction set.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace conflux::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The exponential of less is nothing beside `least`, and its approximation may not know it.
constexpr double kSmallestExponent = -700;

// The next numbers, zeros where fewer are left. A masked load would read beyond the end on machines
// without masks.
template <class D>
HWY_INLINE hn::Vec<D> load_left(D d, const double* at, Index left) {
  if (left >= static_cast<Index>(hn::Lanes(d))) return hn::LoadU(d, at);
  HWY_ALIGN double part[hn::MaxLanes(D())] = {};
  for (Index c = 0; c < left; ++c) part[c] = at[c];
  return hn::Load(d, part);
}

// Memberships of one row, whose exponents are in `weights`, with vectors in registers: loops would
// load and store them.
template <int kVectors, class D>
HWY_INLINE void share_row(D d, hn::Vec<D> (&weights)[kVectors], double least, double* out) {
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  auto largest = weights[0];
  for (int v = 1; v < kVectors; ++v) largest = hn::Max(largest, weights[v]);
  largest = hn::MaxOfLanes(d, largest);
  auto sum = hn::Zero(d);
  for (int v = 0; v < kVectors; ++v) {
    const auto exponent = hn::Max(hn::Sub(weights[v], largest), hn::Set(d, kSmallestExponent));
    weights[v] = hn::ZeroIfNegative(hn::Sub(hn::Exp(d, exponent), hn::Set(d, least)));
    sum = hn::Add(sum, weights[v]);
  }
  sum = hn::SumOfLanes(d, sum);
  for (int v = 0; v < kVectors; ++v) hn::StoreU(hn::Div(weights[v], sum), d, out + v * lanes);
}

template <int kVectors>
void soft_shares_in(const double* products, Index stride, Index rows, const double* squares,
                    Index clusters, double scale, double least, double* out, Index width) {
  const hn::ScalableTag<double> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto none = hn::Set(d, -std::numeric_limits<double>::infinity());
  const auto factor = hn::Set(d, 1 / scale);
  hn::Vec<decltype(d)> square[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    square[v] = load_left(d, squares + v * lanes, clusters - v * lanes);
  }
  // The last vector may have lanes to spare, and what stands there is not to be read.
  const Index whole = clusters == kVectors * lanes ? kVectors : kVectors - 1;
  const auto there = hn::FirstN(d, static_cast<std::size_t>(clusters - (kVectors - 1) * lanes));
  for (; rows > 0; --rows, products += stride, out += width) {
    hn::Vec<decltype(d)> exponents[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      const double* from = products + v * lanes;
      const auto product =
          v < whole ? hn::LoadU(d, from) : load_left(d, from, clusters - v * lanes);
      exponents[v] = hn::Mul(hn::MulSub(hn::Set(d, 2.0), product, square[v]), factor);
    }
    exponents[kVectors - 1] = hn::IfThenElse(there, exponents[kVectors - 1], none);
    share_row<kVectors>(d, exponents, least, out);
  }
}

void soft_shares_of(const double* products, Index stride, Index rows, const double* squares,
                    Index clusters, double scale, double least, double* out, Index width) {
  const hn::ScalableTag<double> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  if (clusters <= lanes) {
    return soft_shares_in<1>(products, stride, rows, squares, clusters, scale, least, out, width);
  }
  if (clusters <= 2 * lanes) {
    return soft_shares_in<2>(products, stride, rows, squares, clusters, scale, least, out, width);
  }
  const auto none = hn::Set(d, -std::numeric_limits<double>::infinity());
  const auto two = hn::Set(d, 2.0);
  const auto factor = hn::Set(d, 1 / scale);
  const auto floor = hn::Set(d, least);
  for (; rows > 0; --rows, products += stride, out += width) {
    auto largest = none;
    for (Index c = 0; c < clusters; c += lanes) {
      const auto there = hn::FirstN(d, static_cast<std::size_t>(clusters - c));
      const auto product = load_left(d, products + c, clusters - c);
      const auto square = load_left(d, squares + c, clusters - c);
      const auto exponent = hn::Mul(hn::MulSub(two, product, square), factor);
      const auto known = hn::IfThenElse(there, exponent, none);
      hn::StoreU(known, d, out + c);
      largest = hn::Max(largest, known);
    }
    largest = hn::MaxOfLanes(d, largest);
    auto sum = hn::Zero(d);
    for (Index c = 0; c < clusters; c += lanes) {
      const auto exponent =
          hn::Max(hn::Sub(hn::LoadU(d, out + c), largest), hn::Set(d, kSmallestExponent));
      const auto weight = hn::ZeroIfNegative(hn::Sub(hn::Exp(d, exponent), floor));
      hn::StoreU(weight, d, out + c);
      sum = hn::Add(sum, weight);
    }
    sum = hn::SumOfLanes(d, sum);
    for (Index c = 0; c < clusters; c += lanes) {
      hn::StoreU(hn::Div(hn::LoadU(d, out + c), sum), d, out + c);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace conflux::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace conflux::kernels {

HWY_EXPORT(soft_shares_of);
void soft_shares(const double* products, Index stride, Index rows, const double* squares,
                 Index clusters, double scale, double least, double* out, Index width) {
  HWY_DYNAMIC_DISPATCH(soft_shares_of)
  (products, stride, rows, squares, clusters, scale, least, out, width);
}

}  // namespace conflux::kernels
#endif  // HWY_ONCE

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

void soft_shares_of(const double* products, Index stride, Index rows, const double* squares,
                    Index kinds, double scale, double least, double* out, Index width) {
  const hn::ScalableTag<double> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto none = hn::Set(d, -std::numeric_limits<double>::infinity());
  const auto two = hn::Set(d, 2.0);
  const auto scales = hn::Set(d, scale);
  const auto floor = hn::Set(d, least);
  for (; rows > 0; --rows, products += stride, out += width) {
    auto largest = none;
    for (Index c = 0; c < kinds; c += lanes) {
      const auto there = hn::FirstN(d, static_cast<std::size_t>(kinds - c));
      const auto product = load_left(d, products + c, kinds - c);
      const auto square = load_left(d, squares + c, kinds - c);
      const auto exponent = hn::Div(hn::MulSub(two, product, square), scales);
      const auto known = hn::IfThenElse(there, exponent, none);
      hn::StoreU(known, d, out + c);
      largest = hn::Max(largest, known);
    }
    largest = hn::MaxOfLanes(d, largest);
    auto sum = hn::Zero(d);
    for (Index c = 0; c < kinds; c += lanes) {
      const auto exponent =
          hn::Max(hn::Sub(hn::LoadU(d, out + c), largest), hn::Set(d, kSmallestExponent));
      const auto weight = hn::ZeroIfNegative(hn::Sub(hn::Exp(d, exponent), floor));
      hn::StoreU(weight, d, out + c);
      sum = hn::Add(sum, weight);
    }
    sum = hn::SumOfLanes(d, sum);
    for (Index c = 0; c < kinds; c += lanes) {
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
                 Index kinds, double scale, double least, double* out, Index width) {
  HWY_DYNAMIC_DISPATCH(soft_shares_of)
  (products, stride, rows, squares, kinds, scale, least, out, width);
}

}  // namespace conflux::kernels
#endif  // HWY_ONCE

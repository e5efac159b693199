#include "kernels/sort.h"

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace conflux::kernels {

namespace {

const hwy::Sorter& sorter() {
  thread_local const hwy::Sorter instance;
  return instance;
}

// Bits of a float as an unsigned number of the same order: negative numbers are turned round, the
// others moved above them. -0 and +0 become equal first, so that ties stay ties.
std::uint32_t ordered_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

float value_of(std::uint32_t bits) {
  return std::bit_cast<float>((bits & 0x80000000U) != 0 ? bits & 0x7fffffffU : ~bits);
}

std::uint64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits >> 63) != 0 ? ~bits : bits | 0x8000000000000000U;
}

double value_of(std::uint64_t bits) {
  return std::bit_cast<double>((bits >> 63) != 0 ? bits & 0x7fffffffffffffffU : ~bits);
}

// Highway pads its last vector with the largest finite number and so loses infinities; they are
// counted and put back.
template <class T>
void sort_all(T* values, Index count) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const auto infinite = std::count(values, values + count, kInfinity);
  sorter()(values, static_cast<std::size_t>(count), hwy::SortAscending());
  std::fill_n(values + count - infinite, infinite, kInfinity);
}

}  // namespace

void sort_values(float* values, Index count) { sort_all(values, count); }
void sort_values(double* values, Index count) { sort_all(values, count); }

// One 64-bit key per value: ordered bits above, row below.
void sort_rows(float* values, Index count, std::uint32_t* rows, SortBuffer& buffer) {
  const auto n = static_cast<std::size_t>(count);
  buffer.words.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    buffer.words[i] = (std::uint64_t{ordered_bits(values[i])} << 32) | i;
  }
  sorter()(buffer.words.data(), n, hwy::SortAscending());
  for (std::size_t i = 0; i < n; ++i) {
    rows[i] = static_cast<std::uint32_t>(buffer.words[i]);
    values[i] = value_of(static_cast<std::uint32_t>(buffer.words[i] >> 32));
  }
}

// One 128-bit key per value, for the same reason.
void sort_rows(double* values, Index count, std::uint32_t* rows, SortBuffer& buffer) {
  const auto n = static_cast<std::size_t>(count);
  buffer.pairs.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    buffer.pairs[i].lo = i;
    buffer.pairs[i].hi = ordered_bits(values[i]);
  }
  sorter()(buffer.pairs.data(), n, hwy::SortAscending());
  for (std::size_t i = 0; i < n; ++i) {
    rows[i] = static_cast<std::uint32_t>(buffer.pairs[i].lo);
    values[i] = value_of(buffer.pairs[i].hi);
  }
}

}  // namespace conflux::kernels

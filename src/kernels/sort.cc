#include "kernels/sort.h"

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <array>
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

struct Extremes {
  float low;
  float high;
};

// In lanes, which the compiler turns into vectors.
Extremes extremes(const float* values, std::size_t n) {
  constexpr std::size_t kLanes = 16;
  std::array<float, kLanes> low;
  std::array<float, kLanes> high;
  low.fill(values[0]);
  high.fill(values[0]);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const float value = values[i + lane];
      low[lane] = value < low[lane] ? value : low[lane];
      high[lane] = value > high[lane] ? value : high[lane];
    }
  }
  for (; i < n; ++i) {
    low[0] = std::min(low[0], values[i]);
    high[0] = std::max(high[0], values[i]);
  }
  return {*std::min_element(low.begin(), low.end()), *std::max_element(high.begin(), high.end())};
}

// One 32-bit key per value: its place between the smallest and the largest above, row below. Keys
// of half the size are sorted in half the time; values of equal places are put in order afterwards.
// False, and nothing done, when there are too many of them: rows leave too few bits, or a few
// values far out squeeze all others together.
bool sort_rows_by_place(float* values, Index count, std::uint32_t* rows, SortBuffer& buffer) {
  constexpr int kFewestPlaceBits = 16;
  constexpr std::size_t kMostShifts = 2;  // per value; more would cost what the keys save
  const auto n = static_cast<std::size_t>(count);
  const auto row_bits = static_cast<int>(std::bit_width(n));
  if (row_bits > 32 - kFewestPlaceBits) return false;
  const auto [low, high] = extremes(values, n);
  // Floats tell 24 bits apart.
  const auto last_place = static_cast<float>((1 << std::min(24, 32 - row_bits)) - 1);
  const float scale = last_place / (high - low);
  if (!(scale > 0) || !(scale < std::numeric_limits<float>::max())) return false;
  buffer.keys.resize(n);
  buffer.values.assign(values, values + n);
  for (std::size_t i = 0; i < n; ++i) {
    const float place = std::min((values[i] - low) * scale, last_place);
    buffer.keys[i] = (static_cast<std::uint32_t>(static_cast<std::int32_t>(place)) << row_bits) |
                     static_cast<std::uint32_t>(i);
  }
  sorter()(buffer.keys.data(), n, hwy::SortAscending());
  const std::uint32_t row_mask = (std::uint32_t{1} << row_bits) - 1;
  std::size_t shifts = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t row = buffer.keys[i] & row_mask;
    const float value = buffer.values[row] + 0.0F;  // -0 becomes +0
    std::size_t at = i;
    for (; at > 0 && value < values[at - 1]; --at, ++shifts) {
      values[at] = values[at - 1];
      rows[at] = rows[at - 1];
    }
    values[at] = value;
    rows[at] = row;
    if (shifts > kMostShifts * n) {
      std::copy_n(buffer.values.data(), n, values);
      return false;
    }
  }
  return true;
}

}  // namespace

void sort_values(float* values, Index count) { sort_all(values, count); }
void sort_values(double* values, Index count) { sort_all(values, count); }

// One 64-bit key per value, if there is no shorter way: ordered bits above, row below.
void sort_rows(float* values, Index count, std::uint32_t* rows, SortBuffer& buffer) {
  const auto n = static_cast<std::size_t>(count);
  if (n > 1 && sort_rows_by_place(values, count, rows, buffer)) return;
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

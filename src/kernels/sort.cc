#include "kernels/sort.h"

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

namespace conflux::kernels {

namespace {

const hwy::Sorter& sorter() {
  thread_local const hwy::Sorter instance;
  return instance;
}

// Bits of a float as an unsigned number of the same order: negative numbers are turned round, the
// others moved above them; -0 comes before +0.
std::uint32_t plain_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
}

// The same, but -0 and +0 become equal first, so that ties stay ties.
std::uint32_t ordered_bits(float value) { return plain_bits(value + 0.0F); }

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

// Radix sort of 32-bit keys, least significant digit first. Three passes over some thousand values
// take a quarter of the time of Highway's quicksort, whose 32-bit vectors are slow on some
// processors.
constexpr int kDigitBits = 11;
constexpr int kKeyBits = 32;
constexpr std::size_t kDigitValues = std::size_t{1} << kDigitBits;
constexpr std::uint32_t kDigitMask = kDigitValues - 1;
constexpr std::size_t kDigits = 3;
// Fewer values do not pay for counting their digits.
constexpr std::size_t kFewestByDigits = 512;
// More would need large buffers.
constexpr std::size_t kMostByDigits = std::size_t{1} << 20;

using DigitCounts = std::array<std::uint32_t, kDigitValues>;

std::uint32_t digit(std::uint32_t key, std::size_t pass) {
  return (key >> (kDigitBits * static_cast<int>(pass))) & kDigitMask;
}

// Counts become the places at which the items of each digit begin.
void add_up(DigitCounts& counts) {
  std::uint32_t before = 0;
  for (std::uint32_t& each : counts) before += std::exchange(each, before);
}

// Sorts items by `key_of`(item), equal ones in the order in which they came. Returns where they are
// now: at `items` or at `spare`.
template <class Item, class KeyOf>
Item* sort_by_digits(Item* items, Item* spare, std::size_t n, KeyOf key_of) {
  std::array<DigitCounts, kDigits> counts = {};
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t key = key_of(items[i]);
    for (std::size_t pass = 0; pass < kDigits; ++pass) ++counts[pass][digit(key, pass)];
  }
  for (std::size_t pass = 0; pass < kDigits; ++pass) {
    DigitCounts& places = counts[pass];
    if (places[digit(key_of(items[0]), pass)] == n) continue;
    add_up(places);
    for (std::size_t i = 0; i < n; ++i) spare[places[digit(key_of(items[i]), pass)]++] = items[i];
    std::swap(items, spare);
  }
  return items;
}

// Swaps values in place until those of each digit, the bits of the key from `shift` on, stand
// together; then each digit by itself. `bits` of the key are not sorted yet.
void sort_in_place(float* values, std::size_t n, int bits, std::vector<float>& spare) {
  if (n < 2 || bits == 0) return;
  if (n <= kMostByDigits) {
    spare.resize(std::max(spare.size(), n));
    const float* sorted = sort_by_digits(values, spare.data(), n, plain_bits);
    if (sorted != values) std::copy_n(sorted, n, values);
    return;
  }
  const int shift = std::max(0, bits - kDigitBits);
  const auto digit_of = [&](float value) { return (plain_bits(value) >> shift) & kDigitMask; };
  std::array<std::size_t, kDigitValues + 1> begin = {};
  for (std::size_t i = 0; i < n; ++i) ++begin[digit_of(values[i]) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  auto next = begin;
  for (std::uint32_t d = 0; d < kDigitValues; ++d) {
    while (next[d] < begin[d + 1]) {
      const std::uint32_t other = digit_of(values[next[d]]);
      if (other == d) {
        ++next[d];
      } else {
        std::swap(values[next[d]], values[next[other]++]);
      }
    }
  }
  for (std::uint32_t d = 0; d < kDigitValues; ++d) {
    sort_in_place(values + begin[d], begin[d + 1] - begin[d], shift, spare);
  }
}

}  // namespace

void sort_values(double* values, Index count) { sort_all(values, count); }

void sort_values(float* values, Index count) {
  const auto n = static_cast<std::size_t>(count);
  if (n < kFewestByDigits) return sort_all(values, count);
  thread_local std::vector<float> spare;
  sort_in_place(values, n, kKeyBits, spare);
}

// One 64-bit word per value: ordered bits above, row below.
void sort_rows(float* values, Index count, std::uint32_t* rows, SortBuffer& buffer) {
  const auto n = static_cast<std::size_t>(count);
  buffer.words.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    buffer.words[i] = (std::uint64_t{ordered_bits(values[i])} << 32) | i;
  }
  const std::uint64_t* sorted = buffer.words.data();
  if (n < kFewestByDigits || n > kMostByDigits) {
    sorter()(buffer.words.data(), n, hwy::SortAscending());
  } else {
    buffer.spare.resize(n);
    sorted = sort_by_digits(buffer.words.data(), buffer.spare.data(), n, [](std::uint64_t word) {
      return static_cast<std::uint32_t>(word >> 32);
    });
  }
  for (std::size_t i = 0; i < n; ++i) {
    rows[i] = static_cast<std::uint32_t>(sorted[i]);
    values[i] = value_of(static_cast<std::uint32_t>(sorted[i] >> 32));
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

// Between which knots values lie.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace conflux {

/// Values that are looked up together: each step of a search waits for the one before, so several
/// searches at once keep the processor busy.
inline constexpr std::size_t kLookupLanes = 8;

/// Numbers of knots at or below each of the values, without branches that depend on the data.
inline std::array<std::size_t, kLookupLanes> count_up_to(const std::vector<double>& knots,
                                                         const double* values) {
  const double* first = knots.data();
  std::array<std::size_t, kLookupLanes> at{};
  std::size_t size = knots.size();
  while (size > 1) {
    const std::size_t half = size / 2;
    for (std::size_t lane = 0; lane < kLookupLanes; ++lane) {
      at[lane] += (first[at[lane] + half - 1] <= values[lane]) ? half : 0;
    }
    size -= half;
  }
  for (std::size_t lane = 0; lane < kLookupLanes; ++lane) {
    at[lane] += first[at[lane]] <= values[lane];
  }
  return at;
}

/// Calls use(i, value, knots at or below it) for the values value_at(0) to value_at(count - 1).
/// There must be a knot.
template <class ValueAt, class Use>
void for_each_segment(const std::vector<double>& knots, std::size_t count, const ValueAt& value_at,
                      const Use& use) {
  for (std::size_t begin = 0; begin < count; begin += kLookupLanes) {
    const std::size_t lanes = std::min(kLookupLanes, count - begin);
    std::array<double, kLookupLanes> block{};
    for (std::size_t lane = 0; lane < lanes; ++lane) block[lane] = value_at(begin + lane);
    const std::array<std::size_t, kLookupLanes> segments = count_up_to(knots, block.data());
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      use(begin + lane, block[lane], segments[lane]);
    }
  }
}

}  // namespace conflux

// Sorting, with and without the way back to the rows.
//
// A trial of the search needs sorted values only; its gradient also needs to know which row stands
// at each rank. Ties are broken by row, so ranks do not depend on the algorithm.
//
// Cost: of single precision three passes over the values, by digits of their bits; of double
// precision a vectorized quicksort. Values must not be NaN.

#pragma once

#include <hwy/base.h>

#include <cstdint>
#include <vector>

#include "conflux/core/index.h"

namespace conflux::kernels {

void sort_values(float* values, Index count);
void sort_values(double* values, Index count);

/// Buffers that sort_rows keeps between calls.
struct SortBuffer {
  std::vector<std::uint64_t> words;
  std::vector<std::uint64_t> spare;
  std::vector<hwy::uint128_t> pairs;
};

/// Puts the positions of the values into `rows`, smallest value first, and sorts `values`.
void sort_rows(float* values, Index count, std::uint32_t* rows, SortBuffer& buffer);
void sort_rows(double* values, Index count, std::uint32_t* rows, SortBuffer& buffer);

}  // namespace conflux::kernels

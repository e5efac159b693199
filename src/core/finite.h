// Checks that numbers are finite, fast enough for every row that enters the engine.

#pragma once

#include <bit>
#include <cstdint>

#include "conflux/core/index.h"

namespace conflux {

/// There are no branches in the loop, so that compilers make vector code of it.
inline bool all_finite(const double* values, Index count) {
  constexpr std::uint64_t kExponent = 0x7ff0000000000000;
  std::uint64_t any = 0;
  for (Index j = 0; j < count; ++j) {
    // Adding the lowest bit of the exponent carries into the sign only if all of them are set.
    any |= (std::bit_cast<std::uint64_t>(values[j]) & kExponent) + (std::uint64_t{1} << 52);
  }
  return any >> 63 == 0;
}

}  // namespace conflux

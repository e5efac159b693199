// How many bytes are read, compressed or written at a time.

#pragma once

#include <cstddef>

namespace conflux {

/// Large enough that calls of the system cost nothing, small enough for the second-level cache.
inline constexpr std::size_t kPiece = std::size_t{1} << 18;

}  // namespace conflux

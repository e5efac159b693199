// How many rows pass through the layers of a flow together.

#pragma once

#include <algorithm>

#include "conflux/core/index.h"

namespace conflux {

/// About half a megabyte: rows stay in the second-level cache while they pass through the layers.
inline Index rows_per_block(Index dim) {
  return std::clamp<Index>((Index{1} << 16) / std::max<Index>(dim, 1), 16, 1024);
}

}  // namespace conflux

#include "metrics/thinning.h"

#include <algorithm>

namespace conflux {

Index rows_per_group(const std::vector<Index>& sizes, Index max_rows) {
  Index low = 1, high = std::max<Index>(max_rows, 1);
  while (low < high) {
    const Index middle = low + (high - low + 1) / 2;
    Index total = 0;
    for (const Index size : sizes) total += std::min(middle, size);
    if (total <= max_rows) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace conflux

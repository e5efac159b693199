#include <fmt/format.h>

#include <algorithm>

#include "conflux/core/error.h"
#include "conflux/metrics/moves.h"
#include "metrics/nearest_neighbors.h"

namespace conflux {

double neighbors_kept(ConstRows before, ConstRows after, const Workers& workers, Index count) {
  if (before.rows() != after.rows()) {
    throw InvalidData(fmt::format("{} rows before and {} after; each row needs its image.",
                                  before.rows(), after.rows()));
  }
  if (count < 1) throw InvalidOption(fmt::format("count is {}; choose at least 1.", count));
  count = std::min(count, before.rows() / 2);
  if (count == 0) return 1;
  MatrixOf<Index> old_rows = nearest_neighbors(before, count, workers).rows;
  MatrixOf<Index> new_rows = nearest_neighbors(after, count, workers).rows;
  Index kept = 0;
  for (Index i = 0; i < old_rows.rows(); ++i) {
    auto first = old_rows.row(i);
    const auto second = new_rows.row(i);
    std::sort(first.begin(), first.end());
    kept += std::count_if(second.begin(), second.end(), [&](Index row) {
      return std::binary_search(first.begin(), first.end(), row);
    });
  }
  return static_cast<double>(kept) / static_cast<double>(old_rows.size());
}

}  // namespace conflux

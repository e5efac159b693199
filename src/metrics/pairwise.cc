#include <fmt/format.h>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"

namespace conflux {

Pairwise pairwise(Index num_groups, const std::function<double(Index, Index)>& metric) {
  if (num_groups < 2) {
    throw InvalidData(fmt::format("{} groups have no pairs; give at least 2.", num_groups));
  }
  Pairwise result;
  result.values = Matrix::Zero(num_groups, num_groups);
  for (Index m = 0; m < num_groups; ++m) {
    for (Index other = 0; other < num_groups; ++other) {
      if (m != other) result.values(m, other) = metric(m, other);
    }
  }
  result.mean = result.values.sum() / static_cast<double>(num_groups * (num_groups - 1));
  return result;
}

Pairwise pairwise(std::span<const ConstRows> clouds,
                  const std::function<double(ConstRows, ConstRows)>& metric) {
  return pairwise(static_cast<Index>(clouds.size()), [&](Index m, Index other) {
    return metric(clouds[static_cast<std::size_t>(m)], clouds[static_cast<std::size_t>(other)]);
  });
}

}  // namespace conflux

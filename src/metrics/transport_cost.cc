#include <fmt/format.h>

#include <functional>
#include <vector>

#include "conflux/core/error.h"
#include "conflux/metrics/moves.h"
#include "metrics/clouds_internal.h"

namespace conflux {

namespace {

constexpr Index kRowsPerCost = 256;

double weighted_mean(Index count, std::span<const double> weights,
                     const std::function<double(Index)>& value) {
  const double sum =
      weights.empty() ? static_cast<double>(count) : check_weights(weights, count, "groups");
  double total = 0;
  for (Index m = 0; m < count; ++m) total += (weights.empty() ? 1.0 : weights[m]) * value(m);
  return total / sum;
}

void check_same_count(Index from, Index to) {
  if (from == to && from > 0) return;
  throw InvalidData(fmt::format(
      "{} groups before the move and {} after it; every group needs its image.", from, to));
}

}  // namespace

double transport_cost(ConstRows from, ConstRows to, const Workers& workers,
                      std::span<const double> row_weights) {
  check_paired_clouds(from, to);
  const double mass = row_weights.empty() ? static_cast<double>(from.rows())
                                          : check_weights(row_weights, from.rows(), "rows");
  std::vector<double> partial((from.rows() + kRowsPerCost - 1) / kRowsPerCost);
  workers.for_each_block(from.rows(), kRowsPerCost, [&](Index begin, Index end) {
    double& sum = partial[begin / kRowsPerCost];
    for (Index i = begin; i < end; ++i) {
      const double weight = row_weights.empty() ? 1.0 : row_weights[i];
      sum += weight * (from.eigen().row(i) - to.eigen().row(i)).squaredNorm();
    }
  });
  double total = 0;
  for (const double sum : partial) total += sum;
  return total / mass;
}

double transport_cost(std::span<const ConstRows> from, std::span<const ConstRows> to,
                      const Workers& workers, std::span<const double> group_weights) {
  const auto count = static_cast<Index>(from.size());
  check_same_count(count, static_cast<Index>(to.size()));
  return weighted_mean(count, group_weights,
                       [&](Index m) { return transport_cost(from[m], to[m], workers); });
}

double transport_cost(const GroupSet& from, const GroupSet& to, const Workers& workers,
                      std::span<const double> group_weights) {
  check_same_count(from.num_groups(), to.num_groups());
  return weighted_mean(from.num_groups(), group_weights, [&](Index m) {
    if (from[m].name != to[m].name) {
      throw InvalidData(fmt::format("group {} is \"{}\" before the move and \"{}\" after it.", m,
                                    from[m].name, to[m].name));
    }
    return transport_cost(from[m].rows.doubles(), to[m].rows.doubles(), workers, from[m].masses);
  });
}

}  // namespace conflux

#include <cmath>
#include <numeric>
#include <vector>

#include "conflux/metrics/distances.h"
#include "metrics/clouds_internal.h"
#include "metrics/costs_internal.h"

namespace conflux {

namespace {

double mean_distance(ConstRows x, ConstRows y, const Workers& workers) {
  const auto a = x.eigen();
  const auto b = y.eigen();
  std::vector<double> partial((x.rows() + kCostTile - 1) / kCostTile);
  workers.for_each_block(x.rows(), kCostTile, [&](Index begin, Index end) {
    double sum = 0;
    visit_squared_distances(a, b, begin, end,
                            [&](Index, Index, double square) { sum += std::sqrt(square); });
    partial[begin / kCostTile] = sum;
  });
  return std::accumulate(partial.begin(), partial.end(), 0.0) / static_cast<double>(x.rows()) /
         static_cast<double>(y.rows());
}

}  // namespace

double energy_distance(ConstRows x, ConstRows y, const Workers& workers) {
  check_clouds(x, y);
  const double between = mean_distance(x, y, workers);
  return 2 * between - mean_distance(x, x, workers) - mean_distance(y, y, workers);
}

}  // namespace conflux

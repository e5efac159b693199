#include "fitting/scores.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "kernels/normal.h"
#include "univariate/quantiles.h"

namespace conflux {

namespace {

constexpr Index kKnots = 200;
constexpr Index kPointsPerGroup = 2000;
// Beyond the values that were seen, scores go on with their mean slope for as many times their
// range: the slopes of the outermost knots hang on few rows.
constexpr double kFar = 10;

struct Range {
  double low;
  double high;
};

std::vector<Range> ranges_of(const GroupSet& groups, const RowChoice& chosen, Communicator& comm) {
  const auto dim = static_cast<std::size_t>(groups.dim());
  std::vector<double> low(dim, std::numeric_limits<double>::infinity());
  std::vector<double> high(dim, -std::numeric_limits<double>::infinity());
  for (Index m = 0; m < groups.num_groups(); ++m) {
    for (const Index i : chosen[m]) {
      for (Index j = 0; j < groups.dim(); ++j) {
        low[j] = std::min(low[j], groups[m].rows(i, j));
        high[j] = std::max(high[j], groups[m].rows(i, j));
      }
    }
  }
  comm.min(low);
  comm.max(high);
  std::vector<Range> out;
  for (std::size_t j = 0; j < dim; ++j) out.push_back({low[j], high[j]});
  return out;
}

// Repeated knots are one, with the mean of their scores.
PiecewiseLinearMap score_map(std::span<const double> knots, const Range& range) {
  const double width = range.high - range.low;
  if (!(width > 0)) return {};
  // Knots closer than this would make slopes too steep to be inverted exactly.
  const double least = 1e-9 * width;
  const auto count = static_cast<double>(knots.size());
  std::vector<double> from = {range.low};
  std::vector<double> to = {kernels::normal_quantile(0.25 / count, 1 - 0.25 / count)};
  for (std::size_t first = 0; first < knots.size();) {
    std::size_t last = first;
    double score = 0;
    while (last < knots.size() && knots[last] - knots[first] <= least) {
      const double level = (static_cast<double>(last) + 0.5) / count;
      score += kernels::normal_quantile(level, 1 - level);
      ++last;
    }
    if (knots[first] - from.back() > least && range.high - knots[first] > least) {
      from.push_back(knots[first]);
      to.push_back(score / static_cast<double>(last - first));
    }
    first = last;
  }
  from.push_back(range.high);
  to.push_back(-to.front());
  const double slope = (to.back() - to.front()) / width;
  from.insert(from.begin(), range.low - kFar * width);
  to.insert(to.begin(), to.front() - kFar * width * slope);
  from.push_back(range.high + kFar * width);
  to.push_back(to.back() + kFar * width * slope);
  return PiecewiseLinearMap(std::move(from), std::move(to));
}

// Knots of one feature over the rows of all groups and processes, every group with the same mass.
std::vector<double> pooled_knots(const GroupSet& groups, const RowChoice& chosen, Index feature,
                                 const std::vector<double>& row_counts, Communicator& comm) {
  std::vector<double> values, masses;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    std::vector<double> sorted;
    for (const Index i : chosen[m]) sorted.push_back(groups[m].rows(i, feature));
    std::sort(sorted.begin(), sorted.end());
    const QuantileSummary part = summarize(sorted, {}, kPointsPerGroup);
    values.insert(values.end(), part.values.begin(), part.values.end());
    for (const double mass : part.masses) masses.push_back(mass / row_counts[m]);
  }
  values = comm.gather(values);
  masses = comm.gather(masses);
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  QuantileSummary pooled;
  for (const std::size_t i : order) {
    pooled.values.push_back(values[i]);
    pooled.masses.push_back(masses[i]);
  }
  pooled.min = pooled.values.front();
  pooled.max = pooled.values.back();
  return equal_mass_means(pooled, kKnots);
}

}  // namespace

std::vector<PiecewiseLinearMap> score_maps(const GroupSet& groups, const RowChoice& chosen,
                                           Communicator& comm) {
  std::vector<double> row_counts;
  for (const auto& rows : chosen) row_counts.push_back(static_cast<double>(rows.size()));
  comm.sum(row_counts);
  const std::vector<Range> ranges = ranges_of(groups, chosen, comm);
  std::vector<PiecewiseLinearMap> out;
  for (Index j = 0; j < groups.dim(); ++j) {
    out.push_back(score_map(pooled_knots(groups, chosen, j, row_counts, comm),
                            ranges[static_cast<std::size_t>(j)]));
  }
  return out;
}

}  // namespace conflux

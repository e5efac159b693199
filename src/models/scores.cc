#include "models/scores.h"

#include <algorithm>
#include <limits>

#include "kernels/normal.h"

namespace conflux {

namespace {

constexpr Index kKnots = 200;
// Beyond the values that were seen the last slopes go on for as many times their range.
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
  // What is closer than this would make slopes that cannot be undone.
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

}  // namespace

std::vector<PiecewiseLinearMap> score_maps(const GroupSet& groups, const RowChoice& chosen,
                                           const FitOptions& options, Communicator& comm,
                                           const Workers& workers) {
  FitOptions of_scores = options;
  of_scores.estimator = Estimator::kQuantile;
  of_scores.knots = kKnots;
  const Matrix knots =
      fit_line_maps(groups, chosen, nullptr, 1, of_scores, comm, workers).barycenters;
  const std::vector<Range> ranges = ranges_of(groups, chosen, comm);
  std::vector<PiecewiseLinearMap> out;
  for (Index j = 0; j < groups.dim(); ++j) {
    const std::span row(&knots(j, 0), static_cast<std::size_t>(knots.cols()));
    out.push_back(score_map(row, ranges[static_cast<std::size_t>(j)]));
  }
  return out;
}

}  // namespace conflux

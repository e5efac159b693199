#include "fitting/map_detail.h"

#include <algorithm>
#include <cmath>

namespace conflux {

namespace {

// Maps of all rows are less noisy than those that were judged, of two rows in three, and rows that
// judge have noise of their own: more detail is not refused for less than this part.
constexpr double kDetailTolerance = 0.12;
// Beyond its two knots a map is a shift; rows so many deviations from the mean are rare.
constexpr double kReach = 4;
// A deviation is not stretched more, or squeezed more than by one over it, in one layer.
constexpr double kMostStretch = 4;

}  // namespace

PiecewiseLinearMap map_of_moments(MapDetail detail, const ValueMoments& from,
                                  const ValueMoments& to, double strength) {
  if (detail == MapDetail::kNone) return {};
  const double mean = from.mean + strength * (to.mean - from.mean);
  if (detail == MapDetail::kShift || !(from.deviation > 0) || !(to.deviation > 0)) {
    return PiecewiseLinearMap({from.mean}, {mean});
  }
  const double stretch = std::clamp(to.deviation / from.deviation, 1 / kMostStretch, kMostStretch);
  const double slope = 1 + strength * (stretch - 1);
  const double reach = kReach * from.deviation;
  return PiecewiseLinearMap({from.mean - reach, from.mean + reach},
                            {mean - slope * reach, mean + slope * reach});
}

MapDetail best_detail(const std::vector<DetailLosses>& losses) {
  DetailLosses pooled = {};
  for (const DetailLosses& own : losses) {
    for (std::size_t v = 0; v < own.size(); ++v) pooled[v] += own[v];
  }
  if (pooled.front() == 0) return MapDetail::kBend;
  const double least = *std::min_element(pooled.begin(), pooled.end());
  std::size_t most = 0;
  for (std::size_t v = 0; v < pooled.size(); ++v) {
    if (pooled[v] <= (1 + kDetailTolerance) * least) most = v;
  }
  return kMapDetails[most];
}

}  // namespace conflux

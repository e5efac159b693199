// The detail of maps that held-out rows support.
//
// Within a cluster a group often has a hundred rows or fewer. The directions along which such rows
// differ most, and the maps that make them equal, fit noise as much as
// the difference: rows that were not fitted then mix less than before. So in every layer two rows
// of three search for directions and fit maps of different detail, and the third decides which of
// them brings the groups closest to each other within clusters. The layer then has maps of this
// detail, fitted to all rows. One cluster has too few rows to decide in a single layer, so all
// clusters decide together.

#pragma once

#include <array>
#include <vector>

#include "conflux/core/index.h"
#include "univariate/piecewise_linear_map.h"

namespace conflux {

/// From the simplest: as it is; means meet; deviations, too; quantiles.
enum class MapDetail { kNone, kShift, kScale, kBend };
inline constexpr std::array kMapDetails = {MapDetail::kNone, MapDetail::kShift, MapDetail::kScale,
                                           MapDetail::kBend};

/// Mean and deviation of a group on a line.
struct ValueMoments {
  double mean = 0;
  double deviation = 0;
};

/// The map that takes the fraction `strength` of the way from one mean, or mean and deviation, to
/// another; kBend is not for moments.
PiecewiseLinearMap map_of_moments(MapDetail detail, const ValueMoments& from,
                                  const ValueMoments& to, double strength);

/// Difference between groups that remains, for each level of detail.
using DetailLosses = std::array<double, kMapDetails.size()>;

/// The most detail that leaves about as little as any, over all kinds of maps; all detail without
/// measurements (zeros).
MapDetail best_detail(const std::vector<DetailLosses>& losses);

}  // namespace conflux

// Maps of M groups on the line to their barycenter by rational quadratic splines, the estimator of
// sliced iterative flows (SINF).
//
// A group and the barycenter are known by their quantiles at the same levels: most of them equally
// spaced, some more crowded into both tails. The spline passes through all pairs; its slope at a
// knot weighs the slopes on both sides, and is 1 at the outer knots, beyond which the map is a
// shift. Ties and slopes that could not be inverted are repaired as for quantile maps.

#pragma once

#include <span>
#include <vector>

#include "univariate/monotone_map.h"
#include "univariate/quantiles.h"

namespace conflux {

/// The levels of `knots` quantiles: a fortieth of them (rounded down) beyond each outermost level
/// of the others, which cut [0, 1] into equal parts.
std::vector<double> spline_levels(Index knots);

/// Quantiles of increasing levels, straight between neighboring values. Level 0 is the first value
/// of the summary and level 1 the last; with equal masses, value i of n stands at i / (n - 1).
std::vector<double> quantiles_at(const QuantileSummary& summary, std::span<const double> levels);

/// The spline through increasing pairs, which may repeat, moving the fraction `strength` of the
/// way.
RationalQuadraticMap spline_through(std::span<const double> from, std::span<const double> to,
                                    double strength);

/// Maps that move each group the fraction `strength` of the way to the barycenter with group
/// weights `weights`. No summary may be empty. `barycenter` is null or receives the barycenter's
/// quantiles.
std::vector<MonotoneMap> fit_spline_maps(std::span<const QuantileSummary> groups,
                                         std::span<const double> weights, Index knots,
                                         double strength,
                                         std::vector<double>* barycenter = nullptr);

/// The map of one more group towards a barycenter known by its quantiles.
RationalQuadraticMap fit_spline_map_to(const QuantileSummary& group,
                                       std::span<const double> barycenter, double strength);

}  // namespace conflux

// Maps of M groups on the line to their Wasserstein barycenter.
//
// The quantile function of the barycenter is the weighted mean of the groups' quantile functions,
// and the best map of a group is that function after the group's own distribution function. Two
// estimators of the functions give two kinds of maps: equal-mass knots (piecewise linear), and the
// paper's normal law with a histogram.

#pragma once

#include <span>
#include <vector>

#include "univariate/histogram_map.h"
#include "univariate/monotone_map.h"
#include "univariate/quantiles.h"

namespace conflux {

/// At full strength a map may not be flatter than this fraction of its mean slope, nor steeper than
/// the mean slope divided by it; strength mixes slopes with 1. Without the limit, ties would make a
/// map that cannot be inverted.
inline constexpr double kSlopeFloor = 1e-3;

/// The same for histograms in a stack of layers, where the next layer may squeeze again what this
/// one has squeezed (docs/decisions/0005-histogram-tails.md).
inline constexpr double kStackedSlopeFloor = 2e-2;

/// Maps that move each group the fraction `strength` of the way to the barycenter with group
/// weights `weights`. No summary may be empty. `barycenter` is null or receives the barycenter's
/// equal-mass knots.
std::vector<MonotoneMap> fit_quantile_maps(std::span<const QuantileSummary> groups,
                                           std::span<const double> weights, Index knots,
                                           double strength,
                                           std::vector<double>* barycenter = nullptr);

/// The map of one more group towards a barycenter known by its equal-mass knots.
PiecewiseLinearMap fit_quantile_map_to(const QuantileSummary& group,
                                       std::span<const double> barycenter, double strength);

/// Histogram of one group for the histogram estimator.
struct GroupHistogram {
  double mean;
  double deviation;
  std::vector<double> counts;
  /// Mass of the tails that the group's rows do not support; half a row is a good choice.
  double tail_mass;
};

struct HistogramSettings {
  double pseudo_count = 1e-6;
  /// Points of the barycenter's quantile function; 0 evaluates the function itself.
  Index grid = 0;
  /// See HistogramMapOptions.
  double slope_floor = kSlopeFloor;
};

/// The deviation to fit with: a group that is constant along the line gets a small share of the
/// pooled deviation, all groups constant get 1.
double usable_deviation(double deviation, double pooled_deviation);

std::vector<MonotoneMap> fit_histogram_maps(std::span<const GroupHistogram> groups,
                                            std::span<const double> weights,
                                            const HistogramSettings& settings, double strength);

/// The map of one more group towards a barycenter of others.
HistogramMap fit_histogram_map_to(const GroupHistogram& group,
                                  std::shared_ptr<const HistogramBarycenter> barycenter,
                                  const HistogramSettings& settings, double strength);

/// The piecewise linear map through knots that increase but may repeat: repeated knots are joined,
/// slopes limited, and both ends continued to `min` and `max`.
PiecewiseLinearMap map_through(std::span<const double> from, std::span<const double> to, double min,
                               double max, double strength);

}  // namespace conflux

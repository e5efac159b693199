// How far M sorted samples on the line are from their barycenter.
//
// For weights w and quantile functions Q_m the spread is the integral over u of
// sum_m w_m (Q_m(u) - b(u))^2 with b = sum_m w_m Q_m: the mean squared Wasserstein distance to the
// barycenter. Samples of unequal size are compared exactly, by merging their steps.
//
// Cost: linear in the number of values, times the number of groups when their sizes differ.

#pragma once

#include <span>

#include "conflux/core/index.h"

namespace conflux {

template <class Scalar>
struct SortedSample {
  std::span<const Scalar> values;
  /// Upper end of the level that each value covers, increasing to 1; empty when all values cover
  /// the same.
  std::span<const double> levels;
};

/// The spread of `samples` with group weights `weights`. Unless `residuals` is empty, residuals[m]
/// receives for each value of sample m its part of w_m (value - barycenter), integrated over the
/// levels that the value covers: half the derivative of the spread by the value.
template <class Scalar>
double barycenter_spread(std::span<const SortedSample<Scalar>> samples,
                         std::span<const double> weights, std::span<Scalar* const> residuals);

}  // namespace conflux

// Sliced Wasserstein distances: transport between the shadows of two clouds on lines.
//
// On a line the optimal plan joins equal quantiles, so sorting solves it exactly, also for
// different numbers of points. The sliced distance is the mean over random directions; the
// max-sliced distance takes the direction along which the clouds differ most and so never
// overlooks a difference that the mean dilutes in high dimension. All are squared W2.
//
// Promise: each 1D distance is exact; the mean depends only on the seed. The maximum is the best
// local one that the search of the slicing layer climbs to from several random starts, hence a
// lower bound. Cost: O(n d + n log n) per direction.

#pragma once

#include <cstdint>
#include <span>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

/// Squared W2 between two samples of the line, in any order and number.
double wasserstein_1d_squared(std::span<const double> a, std::span<const double> b);

struct SlicedOptions {
  Index directions = 256;
  std::uint64_t seed = 0;
};

double sliced_w2_squared(ConstRows x, ConstRows y, const SlicedOptions& options,
                         const Workers& workers);

struct MaxSlicedOptions {
  /// Random directions from which the ascent begins.
  Index starts = 8;

  /// Ascent steps from each start. 0: the best of the starts.
  int max_steps = 200;

  /// An ascent ends when a step gains less than this fraction.
  double min_relative_gain = 1e-9;

  std::uint64_t seed = 0;
};

struct MaxSliced {
  double value = 0;
  /// Unit vector along which the clouds differ by `value`.
  Vector direction;
};

MaxSliced max_sliced_w2_squared(ConstRows x, ConstRows y, const MaxSlicedOptions& options,
                                const Workers& workers);

}  // namespace conflux

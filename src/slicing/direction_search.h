// The K orthonormal directions along which groups differ most (max-K-sliced Wasserstein).

#pragma once

#include <vector>

#include "slicing/sliced_wasserstein.h"

namespace conflux {

struct SearchResult {
  /// Direction of the largest spread first.
  Frame frame;
  /// Spread along each direction, in units of the data squared.
  std::vector<double> spreads;
  /// Mean spread at the start and at the end, in the same units.
  double start_value = 0;
  double value = 0;
  Index steps = 0;
  Index evaluations = 0;
  Index passes = 0;
  Work work = {};
};

/// How a search climbs.
struct SearchOptions {
  AscentOptions ascent = {};
  /// Steps in the span of frame and gradient for every gradient: 2K dimensions, in which a climb
  /// needs no look at the data. 0 makes a single step along the gradient, as ascend() does.
  Index inner_steps = 10;
};

/// Climbs from `start`; every gradient is a step.
template <class Scalar>
SearchResult find_directions(const SearchSample<Scalar>& sample,
                             const std::vector<double>& group_weights, const Frame& start,
                             const SearchOptions& options, const Workers& workers);

/// Mean spread along the directions of `frame`, in units of the data squared.
template <class Scalar>
double mean_spread(const SearchSample<Scalar>& sample, const std::vector<double>& group_weights,
                   const Frame& frame, const Workers& workers);

}  // namespace conflux

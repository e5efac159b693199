// How well an inverse undoes its map.
//
// Row i of `returned` went through the map and back and should be row i of `original`. Errors are
// Euclidean lengths relative to the root mean square length of the original rows, one scale for the
// whole cloud, so that a point near the origin cannot dominate. A cloud of zeros has scale 1.
//
// Cost: one pass, O(n d).

#pragma once

#include "conflux/core/matrix.h"

namespace conflux {

struct RoundTripError {
  double largest = 0;
  double root_mean_square = 0;
  /// Row with the largest error.
  Index worst_row = 0;
};

RoundTripError round_trip_error(ConstRows original, ConstRows returned);

}  // namespace conflux

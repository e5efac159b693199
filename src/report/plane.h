// Planes on which rows are shown: linear, so that distances mean something.

#pragma once

#include <string>
#include <vector>

#include "conflux/core/matrix.h"

namespace conflux {

struct Plane {
  /// One direction per column.
  Matrix directions = {};
  /// Share of the squares that the plane shows.
  double share = 1;
};

/// The two directions along which rows are longest.
Plane largest_directions(const Matrix& rows);

/// Where rows move, or where they vary if next to none moves. `moved` tells which.
Plane plane_of_moves(const Matrix& before, const Matrix& after, bool& moved);

/// The features that a direction is made of, the heaviest first.
std::string direction_name(const std::vector<std::string>& features, const Vector& direction);

}  // namespace conflux

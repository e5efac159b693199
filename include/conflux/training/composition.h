// How groups are made up of kinds of rows.

#pragma once

#include <string>
#include <vector>

#include "conflux/core/matrix.h"

namespace conflux {

/// Something measured, and the value that 95 of 100 random deals stay below.
struct Difference {
  double value = 0;
  double by_chance = 0;
  double p_value = 1;

  bool beyond_chance() const { return value > by_chance; }
};

/// How groups are made up of kinds of rows.
struct Composition {
  std::vector<std::string> kinds;
  /// shares(m, c) is the fraction of group m that is of kind c.
  Matrix shares;
  /// Fraction of rows that would have to be of another kind to make the two groups that differ most
  /// alike.
  Difference difference;
};

}  // namespace conflux

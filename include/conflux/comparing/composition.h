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

/// How a group was matched with the others, and of which kinds of rows it is made.
struct GroupMatch {
  /// Part of its rows that found a partner in another group.
  double matched = 0;
  /// Distance of its clusters to their partners, in distances between its own clusters.
  double distance = 0;
  /// Parts of the group that lie apart.
  Index parts = 1;
  /// Of each kind.
  std::vector<double> shares = {};
};

/// Kinds of rows that were found in the groups.
struct KindsRecord {
  /// What the gate does and why, if the fit was left to choose it; otherwise empty.
  std::string reason = {};
  /// Empty if nobody looked for kinds.
  std::vector<GroupMatch> groups = {};
  /// The same in words.
  std::vector<std::string> sentences = {};
};

}  // namespace conflux

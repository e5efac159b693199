// Whose are the nearest rows of the rows of each kind?

#pragma once

#include <vector>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

/// How many of the nearest rows are asked.
inline constexpr Index kNearestAsked = 15;

struct KindsAround {
  /// Kinds by their numbers, of many those with the most rows; empty when there is nothing to
  /// compare: fewer than two kinds, or hardly more rows than are asked.
  std::vector<Index> kinds = {};
  std::vector<Index> rows = {};
  /// (a, b): the share of rows of kind b among the nearest rows of those of kind a.
  Matrix before = {};
  Matrix after = {};
};

/// Kinds are numbered from 0; -1 is unknown, and asked of nobody.
KindsAround look_around(const Matrix& before, const Matrix& after, std::vector<Index> kind_of,
                        Index kinds, const Workers& workers);

}  // namespace conflux

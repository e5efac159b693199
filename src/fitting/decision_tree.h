// A decision tree that tells groups apart (CART): cuts chosen by the Gini impurity, the most useful
// cut of any leaf first.
//
// Cost: one sort of every feature per node of a path, on all workers.

#pragma once

#include <vector>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

/// Rows of all groups below each other.
struct LabeledRows {
  Matrix rows;
  std::vector<Index> group;
  std::vector<double> mass;
};

/// Rows with a feature below `threshold` go to cut `below`, the others to `above`; -1 is a leaf.
struct TreeCut {
  Index feature;
  double threshold;
  Index below = -1;
  Index above = -1;
};

/// At most `leaves` - 1 cuts; the first is the root, and cuts come after those that lead to them.
/// None when no cut tells the groups apart. Every leaf holds at least `smallest` rows.
std::vector<TreeCut> grow_tree(const LabeledRows& data, Index groups, Index leaves, Index smallest,
                               const Workers& workers);

}  // namespace conflux

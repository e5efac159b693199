// A copy of the groups' clusters that partial matching draws together.

#pragma once

#include <utility>
#include <vector>

#include "conflux/core/parallel.h"
#include "matching/k_means.h"
#include "matching/matching.h"

namespace conflux {

struct MovedCopy {
  /// The centers of each group after the last round.
  std::vector<Matrix> centers;
  /// Result of the first round, before anything moved: pairs of groups, the fraction of each
  /// cluster that was matched, and the mean squared distance to its partners.
  std::vector<std::pair<Index, Index>> links;
  std::vector<Vector> matched;
  std::vector<Vector> squared_distances;
};

/// `clusters` has those of each group, with masses of sum 1.
MovedCopy draw_together(const std::vector<Clusters>& clusters, const MatchOptions& options,
                        const Workers& workers);

}  // namespace conflux

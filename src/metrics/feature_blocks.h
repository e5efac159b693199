// Blocks of features to leave out, so that no close relative of a left-out feature stays.
//
// Cost: features^2 x rows products, a few seconds for 5,000 features and 1,000 rows; memory for at
// most kPartners pairs per feature.

#pragma once

#include <vector>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

struct FeatureBlocks {
  /// Positions of features, increasing, in blocks of like size.
  std::vector<std::vector<Index>> blocks = {};
  /// The cluster of each feature, numbered from 0.
  std::vector<Index> cluster_of = {};
  Index num_clusters = 0;
};

/// `scores` has a row per feature, standardized so that the product of two rows divided by their
/// length is a correlation. Pairs join, strongest first, from the correlation `together` on, while
/// a cluster has at most features / (2 x count) of them. Large clusters are shared out first, each
/// to the smallest block.
FeatureBlocks feature_blocks(const Matrix& scores, Index count, double together,
                             const Workers& workers);

}  // namespace conflux

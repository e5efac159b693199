// The parts of the comparison that all alignments share: the scored rows, the training rows, and
// the sets of held-out features.

#pragma once

#include <string>
#include <vector>

#include "metrics/feature_transfer.h"

namespace conflux {

// Correlations of fewer rows say little.
inline constexpr Index kFewestRowsOfTransfer = 10;

struct TransferPlan {
  const GroupSet& groups;
  FeatureTransferOptions options;
  /// Rows of each group, in order. Small groups use all rows for both.
  std::vector<std::vector<Index>> judged = {};
  std::vector<std::vector<Index>> fitted = {};
  /// Group of each scored row.
  std::vector<Index> group_of = {};
  /// Features that are left out together, by position in the table.
  std::vector<std::vector<Index>> blocks = {};
  /// The features among these that are predicted.
  std::vector<std::vector<Index>> predicted = {};
  /// Ranks within groups of the features that may be left out (features by judged rows), and the
  /// row of each feature there, or -1.
  Matrix ranks = {};
  std::vector<Index> place = {};
  std::vector<Index> cluster_of = {};
  /// Why there are no blocks; empty if there are.
  std::string reason = {};
};

/// Throws InvalidOption for options out of their range.
TransferPlan plan_transfer(const GroupSet& groups, const FeatureTransferOptions& options,
                           const Workers& workers);

/// Judged rows after an alignment of all features but those of a block.
GroupSet move_judged_rows(const TransferPlan& plan, const BlockAligner& align,
                          const std::vector<Index>& block);

}  // namespace conflux

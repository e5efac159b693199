// Which rows of different groups are of the same cluster, without labels.
//
// Every group by itself is cut into a few clusters. Clusters of two groups are matched by partial
// optimal transport: mass without a counterpart nearby stays unmatched. How much may be paid for a
// match follows from the groups themselves: just enough to link all of them, directly or through
// others. So a group that holds only A and one that holds only B are not forced onto each other
// when a third holds both. Matched clusters then draw a copy of the groups together, and k-means on
// that copy gives the clusters.
//
// Only centers and masses of clusters pass between processes. Cost: some products of the rows with
// at most 20 directions; all further work is on a sample of rows or on centers, and small beside
// any fit.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "matching/known_labels.h"

namespace conflux {

struct MatchOptions {
  /// Clusters to find at most; 0: by the number of rows.
  Index clusters = 0;
  /// Part of two groups' mass that must be matched before they count as linked.
  double fraction = 0.15;
  /// How much more than the least price that links all groups may be paid for a match.
  double slack = 1.75;
  Index rounds = 10;
  /// Whether labels of some rows guide the matching: clusters of different labels are not matched,
  /// those of one label always, and clusters do not mix labels (label_split.h).
  bool by_labels = false;
  /// Whether to count separate clusters, which the matching itself does not need.
  bool count_islands = false;
  std::uint64_t seed = 0;
};

/// Partners so many times farther away than the clusters of a group from each other: groups that do
/// not overlap.
inline constexpr double kFarPartner = 2;

/// How a group was matched.
struct MatchedGroup {
  std::string name;
  /// Part of its mass that found a partner in another group.
  double matched = 0;
  /// Part of its mass with a partner no farther away than kFarPartner times its own clusters.
  double near = 0;
  /// Typical distance from a cluster to its partners, and to the next cluster of its own group.
  double partner_distance = 0;
  double own_distance = 0;
  /// Parts of the group between which there are no rows, with at least a twentieth of its mass.
  Index islands = 1;
};

struct Matching {
  std::vector<MatchedGroup> groups;
  /// Pairs of groups that were matched directly.
  std::vector<std::pair<Index, Index>> links;
  /// Parts of all groups, drawn together, between which there are no rows, with at least a
  /// twentieth of the mass.
  Index islands = 1;
  /// Shares of the clusters (columns) in the groups (rows).
  Matrix shares;
  /// Known label of each cluster, by name, empty where it is unknown; no elements without labels.
  std::vector<std::string> labels = {};
  /// The cluster of each row of each group.
  std::vector<std::vector<Index>> clusters;

  Index num_clusters() const { return shares.cols(); }
  bool linked(Index a, Index b) const;
};

/// Matches groups of which this process holds some rows, rows without mass included in `clusters`.
Matching match_groups(const GroupSet& groups, const MatchOptions& options, Communicator& comm,
                      const Workers& workers);

/// Sentences about a matching: the fraction of each group that was matched, at which distance,
/// pairs of groups without a direct match, and the clusters.
std::vector<std::string> describe(const Matching& matching);

}  // namespace conflux

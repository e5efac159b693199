// Parts of a group between which there are no rows.
//
// k-means cuts a single cloud as well as separate ones, so clusters alone do not tell whether a
// group holds different things. Two clusters hang together when rows are found halfway between
// them, compared with rows around their centres; islands are what hangs together.

#pragma once

#include <vector>

#include "conflux/comm/communicator.h"
#include "matching/k_means.h"

namespace conflux {

/// The island of each cluster, numbered from 0; `cluster_of` says where this process's points are.
std::vector<Index> find_islands(const Matrix& points, const std::vector<Index>& cluster_of,
                                const Clusters& clusters, Communicator& comm);

}  // namespace conflux

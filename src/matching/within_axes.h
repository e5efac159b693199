// Few coordinates of rows: along the directions in which rows vary most within their groups.
//
// Rows are looked at as they were measured: normal scores would close the gaps between clusters.

#pragma once

#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"

namespace conflux {

struct WithinAxes {
  Eigen::RowVectorXd center;  // the mean of the groups' means
  Matrix columns;             // orthonormal, largest variance first
  std::vector<MeasuredScale> measured = {};

  /// Coordinates of the chosen rows of a group.
  Matrix of(const Group& group, const std::vector<Index>& chosen, const Workers& workers) const;
};

/// At most `count` axes, from the chosen rows of each group, rows of other processes included.
WithinAxes find_within_axes(const GroupSet& groups, const std::vector<std::vector<Index>>& chosen,
                            Index count, Communicator& comm, const Workers& workers);

}  // namespace conflux

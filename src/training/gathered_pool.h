// The pool of a fit whose rows are spread over processes: drawn from all of them, given to each.
//
// A row's position in its group counts over the processes in the order of their ranks, so that the
// pool, and whatever is fitted on it, has the same bits for any number of processes and any cut of
// the rows. Two exchanges: the random numbers of the rows that may be drawn, then the drawn rows.
// Every process holds the pool of all groups afterwards.

#pragma once

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/training/fit.h"

namespace conflux {

struct GatheredPool {
  /// The drawn rows of all processes.
  GroupSet groups = {};
  /// Positions in `groups`.
  Pool pool = {};
};

/// `mine` are the rows of this process. Groups and labels are those of all processes, in the order
/// of the first process that has them. Throws the same error on all processes: what is wrong with
/// the rows of one of them, which is named, or features that differ between them.
GatheredPool gather_pool(const GroupSet& mine, RowLimit rows_per_group, std::uint64_t seed,
                         Communicator& comm);

/// This process's rows as groups that have the same names, order and precision on all processes:
/// they themselves if they are so already, or a copy without labels. Throws InvalidData on all of
/// them if their features differ.
GroupSet arrange_groups(const GroupSet& mine, Communicator& comm);

}  // namespace conflux

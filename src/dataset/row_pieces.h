// All rows of arrays that every process sees, of which each process fits a part where it is.

#pragma once

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/options/options.h"

namespace conflux {

/// A piece of so many rows: the first of them, and the first of the next piece.
struct Piece {
  Piece(Index rows, const Communicator& comm)
      : begin(rows * comm.rank() / comm.size()), end(rows * (comm.rank() + 1) / comm.size()) {}

  Index begin;
  Index end;
};

/// The rows that this process fits: a piece of every group, in the order of ranks. `all` must
/// outlive it.
GroupSet share_of(const GroupSet& all, const Communicator& comm);

/// The shape of the largest share.
DataShape largest_share(DataShape all, const Communicator& comm);

}  // namespace conflux

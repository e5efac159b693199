// Learns one invertible map per group into a shared space in which all groups have the same
// distribution.
//
//   GroupSet groups;
//   groups.add("monday", monday);
//   groups.add("tuesday", tuesday);
//   const Fit fit = fit_flow(groups, {});
//   const Matrix as_tuesday = fit.flow.translate(0, 1, monday, Workers());
//
// Every method is a sequence of layers; see FitOptions for the choices and docs/math.md for the
// formulas. The same data, options and seed give the same bits on any number of threads.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/flow/flow.h"
#include "conflux/options/options.h"
#include "conflux/training/fit_record.h"

namespace conflux {

// Some rows of every group that a fit is content with.
//
// Every row has a random number that depends on the seed and its position in its group. The pool of
// a group holds the rows with the smallest numbers, and the smallest few of every label, so that
// rare labels stay; the rows with the next numbers can be test rows. Groups that are copies of each
// other have pools that are copies.

/// Positions of rows, by group and in order.
struct Pool {
  std::vector<std::vector<Index>> fitted = {};
  /// Rows that come next by their numbers: nothing of a fit has seen them.
  std::vector<std::vector<Index>> next = {};
  /// Rows of each group that the pool was drawn from.
  std::vector<Index> sizes = {};

  Index num_fitted() const;
  /// Whether every row is fitted.
  bool whole() const;
};

/// Draws at most so many rows of each group, more only to keep rare labels. Rows without mass do
/// not take part. What a fit does by itself with FitOptions::fit_rows.
Pool draw_pool(const GroupSet& groups, RowLimit rows_per_group, std::uint64_t seed);

/// Rows of groups, and where a fit that has not seen them moves them.
struct UnseenRows {
  GroupSet before = {};
  GroupSet after = {};
};

struct Fit {
  Flow flow;
  FitRecord record;
  /// The options of this fit, with the method that the ladder has chosen, to fit other rows in the
  /// same way.
  FitOptions chosen = {};
  /// The flow that the validation rows have scored, if `flow` was then refitted to all rows. Its
  /// scores estimate those of new rows.
  std::optional<Flow> judged = {};
  /// The same of groups that are too small to hold rows out: half of the rows, moved by a fit of
  /// the other half.
  std::optional<UnseenRows> rehearsed = {};
};

/// Callbacks and limits of a fit, beside its options.
struct FitControl {
  /// Called after every layer with the fit so far, which a checkpoint may keep.
  std::function<void(const Fit&)> on_progress = {};
  /// A fit of the same data with the same options (threads may differ) that ended early. The
  /// result has the same bits as that of an uninterrupted fit. Null starts anew.
  const Fit* resume = nullptr;
  /// Features with missing cells that were filled in (Columns::gaps). An automatic fit then chooses
  /// layers by which rows with missing cells can always be brought back.
  std::vector<Index> gaps = {};
};

/// Throws InvalidData or InvalidOption with a remedy. The fit moves its own copy of the rows; a set
/// that owns them and is moved in (std::move) gives them up, and there is no copy. Rows in single
/// precision stay so: half the memory, and faster.
Fit fit_flow(GroupSet groups, const FitOptions& options);

/// The same over the processes of `comm`, each of which holds some rows of some groups. The
/// callback may be empty; if that of one process says so, all end.
///
/// With a limit of rows (FitOptions::fit_rows, which has one unless it is `all`) every process gets
/// the pool of all of them, or all rows if they are fewer, and the result has the bits of one
/// process that holds the rows of all, in the order of ranks: for any number of processes, any cut
/// of the rows, and all methods. Groups and labels are found in the order of ranks; an error of
/// one process is thrown by all.
///
/// With fit_rows `all`, rows stay where they are and processes exchange what they need of each
/// other: all have the same bits, but other numbers of processes may have others.
Fit fit_flow(GroupSet groups, const FitOptions& options, Communicator& comm,
             const LayerCallback& on_layer, const FitControl& control = {});

/// The rows of each group that a fit of `groups` with these options, as its record has them, keeps
/// from its maps and judges them by; empty when there are none.
std::vector<std::vector<Index>> rows_held_out(const GroupSet& groups, const FitOptions& used);

}  // namespace conflux

// Maps of all groups along lines, fitted on rows that may be spread over processes.
//
// Quantiles of a line and group are taken by one process, which the others send their values: so
// they have the bits of one process that has all rows. For histograms each process reduces its rows
// to moments and counts, which are added up. Every process fits the same maps.

#pragma once

#include <functional>
#include <span>
#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "conflux/options/options.h"
#include "core/row_list.h"
#include "stiefel/frame.h"
#include "univariate/monotone_map.h"

namespace conflux {

/// Points that a process sends per knot. A multiple of the knots makes the summary of a single
/// process exact; more of them make those of several processes fine.
inline constexpr Index kPointsPerKnot = 16;

/// Rows of each group, by position.
using RowChoice = std::vector<RowList>;

/// Every row that has mass.
RowChoice all_rows(const GroupSet& groups);

/// Masses of the chosen rows; empty if all rows have the same.
std::vector<double> chosen_masses(const Group& group, const RowList& chosen);

struct LineMaps {
  /// maps[m][k] moves group m along line k.
  std::vector<std::vector<MonotoneMap>> maps;
  /// Row k: equal-mass knots of the barycenter on line k. Empty for histogram maps, which hold
  /// theirs.
  Matrix barycenters;
};

/// Maps along the columns of `frame`, or along every coordinate when it is null. `options` must be
/// resolved. Several processes need to know how many rows the one has at most that has most.
LineMaps fit_line_maps(const GroupSet& groups, const RowChoice& chosen, const Frame* frame,
                       double strength, const FitOptions& options, Communicator& comm,
                       const Workers& workers, Index most_rows = 0);

/// Writes the values of the chosen rows of a group on a line, in the precision that they have.
/// Threads call it at the same time.
template <class Scalar>
using ReadLine = std::function<void(Index group, Index line, std::span<Scalar> values)>;

/// Maps along lines on which values are known already. Each thread holds one line of one group.
template <class Scalar>
LineMaps fit_line_maps(Index num_lines, const ReadLine<Scalar>& read_line, const GroupSet& groups,
                       const RowChoice& chosen, double strength, const FitOptions& options,
                       Communicator& comm, const Workers& workers, Index most_rows = 0);

/// Adds the maps of the only group of `group` towards the barycenters that `lines` has already.
/// False when it has none.
bool add_line_maps(LineMaps& lines, const GroupSet& group, const RowChoice& chosen,
                   const Frame* frame, double strength, const FitOptions& options,
                   const Workers& workers);

}  // namespace conflux

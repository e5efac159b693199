// Fits over sites that keep their rows: every process has groups of its own, and what it tells the
// others are sums and means over many rows.
//
// Directions are found from sums (slicing/summary_spread.h); barycenters are sums of the groups'
// equal-mass knots, each the mean of several rows; the maps of a group stay with its process. So
// every process ends with a flow of its own groups, and all flows lead to one shared space.
//
// Data that leave a process: names and sizes of its groups, names of features, options; in each
// layer the weighted mean of its search rows, K Q weighted knots and K sums of squares for every
// value of the search, d K sums for every gradient, and K Q weighted knots for the maps (d Q for
// nb). docs/processes.md describes what can and cannot be inferred from this.

#pragma once

#include "conflux/training/fit.h"

namespace conflux {

/// Exchanges of a layer at most: values and gradients of a search, and barycenters.
inline constexpr Index kMostExchanges = 8;
/// Steps of a search at most: each needs a gradient and a value, after the value at the start.
inline constexpr Index kRowFreeSteps = (kMostExchanges - 2) / 2;
/// Default number of layers, because no rows are held out to choose it. So many with three steps do
/// better than 30 with four, and need as many exchanges.
inline constexpr Index kRowFreeLayers = 45;
/// Rows of a group for every knot at least, so that no number is that of a single row.
inline constexpr Index kRowsPerSharedKnot = 5;

/// `mine` are the groups of this process, all of their rows, with equal masses. Methods nb, inb,
/// rand-nb, nb-inb and nb-rand-nb without a gate. Throws InvalidOption or InvalidData on all
/// processes: for other methods, groups of one name on two processes, or too few rows.
Fit fit_row_free(GroupSet mine, const FitOptions& options, Communicator& comm);

}  // namespace conflux

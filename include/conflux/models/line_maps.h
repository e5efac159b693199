// Maps of all groups along lines, fitted on rows that may be spread over processes.
//
// Each process reduces its rows to small arrays per line and group: a quantile summary, or moments
// and histogram counts. Those are combined over processes, and every process fits the same maps.

#pragma once

#include <span>
#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "conflux/models/options.h"
#include "conflux/stiefel/frame.h"
#include "conflux/univariate/monotone_map.h"

namespace conflux {

/// Rows of each group, by position.
using RowChoice = std::vector<std::vector<Index>>;

/// Every row that has mass.
RowChoice all_rows(const GroupSet& groups);

/// Maps along the columns of `frame`, or along every coordinate when it is null; result[m][k].
/// `options` must be resolved.
std::vector<std::vector<MonotoneMap>> fit_line_maps(const GroupSet& groups, const RowChoice& chosen,
                                                    const Frame* frame, double strength,
                                                    const FitOptions& options, Communicator& comm,
                                                    const Workers& workers);

}  // namespace conflux

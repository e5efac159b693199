// Normal scores of features over all groups.

#pragma once

#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/parallel.h"
#include "conflux/models/line_maps.h"
#include "conflux/univariate/piecewise_linear_map.h"

namespace conflux {

/// Of each feature, the map that takes the barycenter of the groups' values to the normal law; the
/// same for every group, so that differences between groups stay.
std::vector<PiecewiseLinearMap> score_maps(const GroupSet& groups, const RowChoice& chosen,
                                           const FitOptions& options, Communicator& comm,
                                           const Workers& workers);

}  // namespace conflux

// Normal scores of features over all groups.

#pragma once

#include <vector>

#include "conflux/comm/communicator.h"
#include "fitting/line_maps.h"
#include "univariate/piecewise_linear_map.h"

namespace conflux {

/// One map per feature, which takes the values of all groups together to the normal law; the
/// same for every group, so that differences between groups stay.
std::vector<PiecewiseLinearMap> score_maps(const GroupSet& groups, const RowChoice& chosen,
                                           Communicator& comm);

}  // namespace conflux

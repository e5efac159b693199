// Are covariates and groups confounded?

#pragma once

#include <cstdint>

#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "conflux/metrics/group_prediction.h"

namespace conflux {

/// How well the covariates of the set alone predict the group of a row; unset unless two groups
/// have rows enough to tell.
std::optional<GroupPrediction> predict_from_covariates(const GroupSet& groups, std::uint64_t seed,
                                                       const Workers& workers);

}  // namespace conflux

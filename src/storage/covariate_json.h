// Covariates in model files.

#pragma once

#include <string>

#include "conflux/columns/covariate.h"
#include "files/json.h"

namespace conflux {

Json covariate_json(const Covariate& covariate);
/// Throws InvalidData unless the description makes a covariate.
Covariate covariate_from(const Json& json);

}  // namespace conflux

// Densities of rows under a model of density destructors (DD).

#pragma once

#include <vector>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"
#include "conflux/training/model.h"

namespace conflux {

/// Log-density of each row under the model of its group. Where the latent space is the unit cube,
/// the law there is uniform up to the margin; the little mass beyond decays like a normal law, so
/// that densities are positive everywhere and integrate to 1. Throws InvalidOption unless the model
/// was fitted by DD.
std::vector<double> log_density(const Model& model, Index group, ConstRows rows,
                                const Workers& workers);

}  // namespace conflux

// Densities of rows under a model of density destructors (DD).

#pragma once

#include <span>
#include <vector>

#include "conflux/core/parallel.h"
#include "conflux/core/sample_rows.h"
#include "conflux/model/model.h"

namespace conflux {

/// Log-density of each row under the model of its group; `groups` has one group per row, or a
/// single one for all rows. Where the latent space is the unit cube, the law there is uniform up to
/// the margin; the little mass beyond decays like a normal law, so that densities are positive
/// everywhere and integrate to 1. Throws InvalidOption unless the model was fitted by DD.
std::vector<double> log_density(const Model& model, std::span<const Index> groups,
                                const SampleRows& rows, const Workers& workers);
inline std::vector<double> log_density(const Model& model, Index group, const SampleRows& rows,
                                       const Workers& workers) {
  return log_density(model, std::span<const Index>(&group, 1), rows, workers);
}

}  // namespace conflux

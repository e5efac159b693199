// Distances in the features of a network, beside the published FIDs.
//
// Ours come from the small networks of the library, the published ones from Inception v3: the
// scales have nothing to do with each other, the order of methods has.

#pragma once

#include <string>
#include <vector>

#include "conflux/core/parallel.h"
#include "conflux/flow/flow.h"
#include "reproduce/data.h"
#include "reproduce/report.h"

namespace conflux::app {

/// Means over ordered pairs of groups of Frechet and kernel distances between real test images and
/// those translated from `latent`; and the same between real images and other real ones.
Json feature_distances(const SetInfo& set, const SplitSet& data, const Flow& flow,
                       const std::vector<Matrix>& latent, const Workers& workers);

/// A section of the report; empty when no cell has such distances.
std::string features_text(const std::vector<RowResult>& results);

}  // namespace conflux::app

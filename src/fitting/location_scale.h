// Location and scale of every feature of a group, as maps to a standard that groups share.
//
// The standard of a feature is the weighted mean of the groups and their mean variance within; with
// a target these are its own. Without shrinkage means and spreads of all groups become those. With
// it they are moved by what remains of their differences after empirical Bayes over the features,
// which is ComBat. With covariates all of this is done to what a linear model of them, with the
// same slopes in all groups, leaves of the features: ComBat with a model.

#pragma once

#include <vector>

#include "conflux/options/options.h"
#include "fitting/moments.h"
#include "flow/location_scale_layer.h"

namespace conflux {

/// Spreads are roots of mean squares within groups, as in ComBat, or without bias.
enum class SpreadsOf { kMeanSquares, kUnbiased };
LocationScaleLayer::Standard standard_of(const std::vector<FeatureMoments>& groups,
                                         const std::vector<double>& weights,
                                         SpreadsOf spreads = SpreadsOf::kMeanSquares);

/// The whole way of a group to the standard; `options` tell about shrinkage and scales.
LocationScaleLayer::Map location_scale_map(const LocationScaleLayer::Standard& standard,
                                           const FeatureMoments& group, const FitOptions& options);

}  // namespace conflux

// Locations and scales of the features of one group, shrunk towards what is usual among them.
//
// The model of ComBat (Johnson, Li and Rabinovic 2007, section 3): features are standardized by the
// location and the spread that all groups share. In a group, feature j then has the location g_j,
// drawn from a normal distribution, and the variance d_j, drawn from an inverse gamma distribution;
// both priors have the moments that the features of the group show. What is returned are the
// posterior expectations, by the iteration of the paper with the stop rule of Bioconductor's sva,
// so that figures agree to rounding.
//
// Cost: some ten passes over the features.

#pragma once

#include "conflux/core/matrix.h"

namespace conflux {

struct LocationsAndVariances {
  Vector locations;
  Vector variances;
};

/// `rows` is the number of rows behind the estimates; variances are unbiased. With fewer than two
/// features there is nothing to shrink towards.
LocationsAndVariances shrink_over_features(const LocationsAndVariances& estimates, double rows);

/// The same for groups whose variances are taken for 1.
Vector shrink_locations_over_features(const Vector& locations, double rows);

}  // namespace conflux

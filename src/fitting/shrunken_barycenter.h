// The Gaussian barycenter for groups with few rows per feature: means meet, and scales and
// correlations meet as far as they are known.
//
// Features are standardized by their means and by the scales of the location-scale map of each
// group, empirical Bayes included.
// Let S_m be the covariance of a group then, P the pooled one and t the mean of its diagonal. The
// correlations of group m are taken for
//
//   C_m = (1 - f) ((1 - l_m) S_m + l_m P) + f t I,
//
// and go to the barycenter of the C_m. l_m is the intensity of Ledoit and Wolf (2003) towards P: a
// group keeps of its own what chance does not explain. f is that of P towards t I; it is the same
// for all groups, so that directions in which no group has rows stay as they are. Both fade as 1 /
// rows. The variance of S_m is that of normal rows, (tr(S)^2 + |S|^2) / (rows - 1).
//
// Cost: beside the covariances, one symmetric eigenvalue problem of size dim, and some dozens per
// group of the size of the space that the rows span.

#pragma once

#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "fitting/line_maps.h"
#include "flow/affine_layer.h"

namespace conflux {

/// As fit_affine_layer(). A group of weight 1 is the target and keeps every bit.
AffineLayer fit_shrunken_affine_layer(const GroupSet& groups, const RowChoice& chosen,
                                      const std::vector<double>& weights, double strength,
                                      Communicator& comm, const Workers& workers);

/// As fit_affine_map(), for a barycenter that has been made so.
AffineLayer::Map fit_shrunken_affine_map(const GroupSet& group, const RowChoice& chosen,
                                         const AffineLayer::Gaussian& barycenter, double strength,
                                         const Workers& workers);

}  // namespace conflux

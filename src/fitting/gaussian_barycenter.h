// The Gaussian barycenter: matches means and covariances of all groups at once.
//
// The barycenter of Gaussians with covariances C_m has the covariance S that solves
// S = sum_m w_m (S^1/2 C_m S^1/2)^1/2; group m moves by x -> center + A_m (x - mean_m) with
// A_m = C_m^-1/2 (C_m^1/2 S C_m^1/2)^1/2 C_m^-1/2, the best map between the two Gaussians.
//
// Cost: one product of size rows x dim^2, and fixed-point steps of M + 1 symmetric eigenvalue
// problems of size dim: two steps for two groups, some dozens for more.

#pragma once

#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "fitting/line_maps.h"
#include "flow/affine_layer.h"

namespace conflux {

/// Covariance of the barycenter of centered Gaussians with regular covariances, up to a relative
/// change of `tolerance` by the last step. Ends after 100 steps at the latest, with a regular
/// matrix.
Matrix barycenter_covariance(const std::vector<Matrix>& covariances,
                             const std::vector<double>& weights, const Workers& workers,
                             double tolerance = 1e-10);

/// `weights` of the groups sum to 1. With strength s < 1 the matrices are (1 - s) I + s A_m.
AffineLayer fit_affine_layer(const GroupSet& groups, const RowChoice& chosen,
                             const std::vector<double>& weights, double strength,
                             Communicator& comm, const Workers& workers);

/// The map of the only group of `group` towards a barycenter of others.
AffineLayer::Map fit_affine_map(const GroupSet& group, const RowChoice& chosen,
                                const AffineLayer::Gaussian& barycenter, double strength,
                                const Workers& workers);

}  // namespace conflux

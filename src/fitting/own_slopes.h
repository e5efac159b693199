// Slopes over the covariates that each group has for itself.
//
// The difference of a group's slopes from the common ones is estimated by least squares within the
// group, and shrunk towards zero as far as chance explains it: in units of a feature's standard
// deviation, the differences of a group are draws from a normal distribution of mean 0, whose
// variance makes the squares that are seen over all features and directions of the covariates as
// large as expected (the equation of Paule and Mandel). A group whose effects are the common ones
// has a variance near 0.

#pragma once

#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "fitting/line_maps.h"

namespace conflux {

/// One matrix per group, shaped as `slopes`, which are the common ones; zeros where a group has too
/// few rows. Without `shrinkage`, those of least squares.
std::vector<Matrix> fit_own_slopes(const GroupSet& groups, const RowChoice& chosen,
                                   const Matrix& slopes, bool shrinkage, Communicator& comm);

}  // namespace conflux

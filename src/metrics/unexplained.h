// Residuals of features on covariates.
//
// Groups are compared given the covariates: by what a linear model of these, with the same slopes
// in all groups, does not explain. Differences between groups are not explained away, as rows are
// centered in their groups for the slopes.

#pragma once

#include <span>

#include "conflux/core/group_set.h"

namespace conflux {

/// The features of the rows, without what their covariates, the last coordinates, explain.
/// group_of[i] is 0 .. M-1. Without covariates the rows as they are.
Matrix unexplained(const Matrix& rows, Index covariates, std::span<const Index> group_of);

/// The same, with names, masses and labels; all rows count for the slopes.
GroupSet unexplained(const GroupSet& groups);

/// The covariates alone, as features.
GroupSet covariates_of(const GroupSet& groups);

}  // namespace conflux

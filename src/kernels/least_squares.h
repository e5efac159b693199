// Linear models from moments.

#pragma once

#include "conflux/core/matrix.h"

namespace conflux::kernels {

/// Slopes B, one row per predictor, for which x B is nearest to y in the mean square, from the sums
/// of x^T x and x^T y. Predictors that vary with each other alone share their effect: B is the
/// shortest of the solutions.
Matrix slopes_of_moments(Matrix xx, const Matrix& xy);

}  // namespace conflux::kernels

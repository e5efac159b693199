// The energy distance 2 E|X - Y| - E|X - X'| - E|Y - Y'| of two clouds.
//
// It needs no optimisation and no parameter, is zero only between equal distributions, and sees
// every direction at once. The expectations are means over all ordered pairs, a point with itself
// included (the V-statistic): never negative, zero between equal clouds, biased upwards by O(1/n)
// between samples of one law. No root is taken; SciPy's energy_distance is the root of this.
//
// Cost: O((n + n')^2 d) time, no pairwise matrix in memory.

#pragma once

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

double energy_distance(ConstRows x, ConstRows y, const Workers& workers);

}  // namespace conflux

// Maps on a line that follow only what rows can show.
//
// A quantile map fitted on few rows bends with their noise, and a stack of such maps takes new rows
// apart again. How far quantiles of n rows stray by chance is known from the quantiles themselves,
// so each map is split into a shift and a bend, and both are shrunk by the part of their squares
// that chance explains (James and Stein). Where groups differ clearly the maps stay what they are;
// where they do not, they move nothing.

#pragma once

#include <span>
#include <vector>

#include "univariate/piecewise_linear_map.h"

namespace conflux {

/// Maps of several groups to their barycenter along one line. `masses` are the rows that each map
/// was fitted on, `weights` those of the barycenter (sum 1), `strength` the part of the way that
/// the maps go.
std::vector<PiecewiseLinearMap> shrunk(std::vector<PiecewiseLinearMap> maps,
                                       std::span<const double> masses,
                                       std::span<const double> weights, double strength);

}  // namespace conflux

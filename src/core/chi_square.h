// The chi-square distribution.

#pragma once

namespace conflux {

/// Probability that a chi-square variable exceeds x.
double chi_square_tail(double x, double degrees);

}  // namespace conflux

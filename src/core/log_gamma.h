// The logarithm of the gamma function on several threads at once: std::lgamma writes the sign of
// the function to a variable that all of them share.

#pragma once

#include <cmath>

namespace conflux {

inline double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

}  // namespace conflux

#include "kernels/normal.h"

#include <cmath>
#include <numbers>

namespace conflux::kernels {

namespace {

constexpr double kSqrtTwoPi = 2.50662827463100050242;
constexpr double kHalfLogTwoPi = 0.91893853320467274178;

// Acklam's rational approximation for the lower half, relative error 1.2e-9.
double rough_quantile(double p) {
  if (p < 0.02425) {
    const double q = std::sqrt(-2 * std::log(p));
    return (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838e+00) *
                  q -
              2.549732539343734e+00) *
                 q +
             4.374664141464968e+00) *
                q +
            2.938163982698783e+00) /
           ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996e+00) * q +
             3.754408661907416e+00) *
                q +
            1);
  }
  const double q = p - 0.5;
  const double r = q * q;
  return (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r +
            1.383577518672690e+02) *
               r -
           3.066479806614716e+01) *
              r +
          2.506628277459239e+00) *
         q /
         (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r +
            6.680131188771972e+01) *
               r -
           1.328068155288572e+01) *
              r +
          1);
}

}  // namespace

double normal_density(double x) { return std::exp(-0.5 * x * x) / kSqrtTwoPi; }

double log_normal_density(double x) { return -0.5 * x * x - kHalfLogTwoPi; }

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double normal_quantile(double p, double complement) {
  if (complement < p) return -normal_quantile(complement, p);
  // One step of Halley's method makes nine digits sixteen.
  const double x = rough_quantile(p);
  const double step = (normal_cdf(x) - p) / normal_density(x);
  return x - step / (1 + 0.5 * x * step);
}

}  // namespace conflux::kernels

#include "core/chi_square.h"

#include <algorithm>
#include <cmath>

#include "core/log_gamma.h"

namespace conflux {

namespace {

// The series and the continued fraction of the incomplete gamma function, each where it converges
// fast (Abramowitz and Stegun 6.5.29 and 6.5.31).
double upper_gamma(double a, double x) {
  constexpr int kMostTerms = 10'000;
  constexpr double kPrecision = 1e-15;
  const double front = std::exp(-x + a * std::log(x) - log_gamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int k = 1; k < kMostTerms && term > sum * kPrecision; ++k) {
      term *= x / (a + k);
      sum += term;
    }
    return 1 - front * sum;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int k = 1; k < kMostTerms; ++k) {
    const double factor = -k * (k - a);
    b += 2;
    d = 1 / (factor * d + b);
    c = b + factor / c;
    h *= d * c;
    if (std::abs(d * c - 1) < kPrecision) break;
  }
  return front * h;
}

}  // namespace

double chi_square_tail(double x, double degrees) {
  if (!(x > 0)) return 1;
  return std::clamp(upper_gamma(degrees / 2, x / 2), 0.0, 1.0);
}

}  // namespace conflux

// The standard normal law: density, distribution, quantiles.
//
// Near 1 a probability has no room for its tail: 1 - 1e-17 is 1. Whoever needs both tails passes
// the probability together with its complement.

#pragma once

namespace conflux::kernels {

double normal_density(double x);
double log_normal_density(double x);
/// Mass below x; the mass above it is normal_cdf(-x).
double normal_cdf(double x);
/// The x with mass p below it, for 0 < p < 1; `complement` is 1 - p.
double normal_quantile(double p, double complement);

}  // namespace conflux::kernels

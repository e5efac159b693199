// The debiased Sinkhorn divergence, a smooth stand-in for the squared 2-Wasserstein distance.
//
// OT_eps(a, b) is the least squared-distance cost of a plan P plus eps KL(P | a x b). It is not
// zero between equal clouds; S(a, b) = OT_eps(a, b) - OT_eps(a, a) / 2 - OT_eps(b, b) / 2 is, is
// never negative, and runs from the squared Wasserstein distance (small eps) to the squared
// distance of the means (large eps). Each OT_eps is the value of the dual potentials, found by
// alternating updates in the log domain that begin with a large eps and halve it down to the one
// asked for.
//
// Promise: if `converged`, the marginals of every plan are right to `tolerance` in L1; the value is
// off by about eps * tolerance, so that equal clouds may end a little below 0. Cost: O(n n') per
// iteration; iterations grow as 1 / eps; four matrices of pairwise costs in memory.

#pragma once

#include <optional>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

struct SinkhornOptions {
  /// Blur as a fraction of the mean squared distance between the clouds; unused if `epsilon` is
  /// set.
  double relative_epsilon = 0.05;

  /// Blur in units of squared distance.
  std::optional<double> epsilon = std::nullopt;

  /// Largest L1 error of the marginals of a plan.
  double tolerance = 1e-6;

  /// For each of the three problems, the halving included.
  int max_iterations = 2000;
};

struct SinkhornDivergence {
  double value = 0;
  /// The blur used, in units of squared distance.
  double epsilon = 0;
  /// Of the problem that needed most.
  int iterations = 0;
  bool converged = true;
};

SinkhornDivergence sinkhorn_divergence(ConstRows x, ConstRows y, const SinkhornOptions& options,
                                       const Workers& workers);

}  // namespace conflux

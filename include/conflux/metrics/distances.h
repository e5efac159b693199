// Distances between two clouds of points: how far apart the groups are.
//
// Start with exact_w2_squared(); the others are faster, smoother, or see something else. None of
// them ever sees a model.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

// The squared 2-Wasserstein distance between two point clouds, solved exactly.
//
// Moving one cloud onto the other at the least total squared distance is a flow problem on a
// complete bipartite graph; the network simplex method finds its optimum. Masses and costs are
// handed to it as integers, so that it always ends and never mistakes rounding for progress: equal
// masses are exact, costs are rounded to 2^-44 of the largest one. The value is then summed from
// the unrounded costs of the optimal plan.
//
// Promise: within 2^-44 of the largest squared distance between the clouds of the true optimum, and
// never below it beyond summation rounding. Cost: about 75 bytes x n n' of memory; time grows a
// little faster than n n', 2000 points take about a second. Larger clouds are cut into blocks,
// whose mean value is an upper estimate of the distance of the whole.

struct ExactWassersteinOptions {
  /// Rows per block. Both clouds are cut in their order, the smaller in proportion, and the values
  /// of the blocks are averaged by their sizes. Unset: no cut up to 2000 rows, blocks of 500
  /// beyond. At least the number of rows: never cut.
  std::optional<Index> block = std::nullopt;
};

/// Every row of a cloud has the same mass; the clouds may have different numbers of rows.
double exact_w2_squared(ConstRows x, ConstRows y, const ExactWassersteinOptions& options,
                        const Workers& workers);

/// Rows have masses in proportion to their weights. Weighted clouds are never cut.
double exact_w2_squared(ConstRows x, std::span<const double> x_weights, ConstRows y,
                        std::span<const double> y_weights, const Workers& workers);

// Sliced Wasserstein distances: transport between the shadows of two clouds on lines.
//
// On a line the optimal plan joins equal quantiles, so sorting solves it exactly, also for
// different numbers of points. The sliced distance is the mean over random directions; the
// max-sliced distance takes the direction along which the clouds differ most and so never
// overlooks a difference that the mean dilutes in high dimension. All are squared W2.
//
// Promise: each 1D distance is exact; the mean depends only on the seed. The maximum is the best
// local one that the search of the slicing layer climbs to from several random starts, hence a
// lower bound. Cost: O(n d + n log n) per direction.

/// Squared W2 between two samples of the line, in any order and number.
double wasserstein_1d_squared(std::span<const double> a, std::span<const double> b);

struct SlicedOptions {
  Index directions = 256;
  std::uint64_t seed = 0;
};

double sliced_w2_squared(ConstRows x, ConstRows y, const SlicedOptions& options,
                         const Workers& workers);

struct MaxSlicedOptions {
  /// Random directions from which the ascent begins.
  Index starts = 8;

  /// Ascent steps from each start. 0: the best of the starts.
  int max_steps = 200;

  /// An ascent ends when a step gains less than this fraction.
  double min_relative_gain = 1e-9;

  std::uint64_t seed = 0;
};

struct MaxSliced {
  double value = 0;
  /// Unit vector along which the clouds differ by `value`.
  Vector direction;
};

MaxSliced max_sliced_w2_squared(ConstRows x, ConstRows y, const MaxSlicedOptions& options,
                                const Workers& workers);

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
  /// Iterations of the slowest of the three problems.
  int iterations = 0;
  bool converged = true;
};

SinkhornDivergence sinkhorn_divergence(ConstRows x, ConstRows y, const SinkhornOptions& options,
                                       const Workers& workers);

// The energy distance 2 E|X - Y| - E|X - X'| - E|Y - Y'| of two clouds.
//
// It needs no optimization and no parameter, is zero only between equal distributions, and sees
// every direction at once. The expectations are means over all ordered pairs, a point with itself
// included (the V-statistic): never negative, zero between equal clouds, biased upwards by O(1/n)
// between samples of one law. No root is taken; SciPy's energy_distance is the root of this.
//
// Cost: O((n + n')^2 d) time, no pairwise matrix in memory.

double energy_distance(ConstRows x, ConstRows y, const Workers& workers);

// The Frechet distance of the normal laws with the means and covariances of two clouds,
//
//   |mu_1 - mu_2|^2 + tr(C_1 + C_2 - 2 (C_1 C_2)^1/2),
//
// which is their squared Wasserstein distance. On features of a network it is known as the Frechet
// inception distance: it sees what pixels do not show, and only means and covariances of that. Zero
// between clouds of equal moments, symmetric, not a root; biased upwards by about d / n of the
// variance. Covariances have the divisor n - 1.
//
// Cost: n d^2 for the covariances, two symmetric eigenvalue problems of size d.

double frechet_distance(ConstRows x, ConstRows y);

// The kernel distance: squared maximum mean discrepancy of two clouds, by the kernel
// (a . b / d + 1)^3, which compares moments up to the third.
//
// On features of a network it is known as the kernel inception distance. Means run over pairs of
// different rows only, so that it has no bias: between samples of one law it scatters around 0,
// also below, where the Frechet distance of few rows is far above. Symmetric, not a root.
//
// Cost: O((n + n')^2 d) time, and all pairs in memory.

double kernel_distance(ConstRows x, ConstRows y);

// A metric between every two of M groups, and its mean.
//
// The mean runs over the M^2 - M ordered pairs of different groups: metrics need not be symmetric,
// and a cloud translated from m to m' is not the reverse of one translated from m' to m. The papers
// divide by other numbers for M > 2, which inflates their figures by up to a factor of 3.
//
// Pairs are measured one after another; the metrics are parallel inside.

struct Pairwise {
  /// Entry (m, m') is metric(m, m'); the diagonal is 0 and was not measured.
  Matrix values;
  double mean = 0;
};

/// Throws InvalidData for fewer than two groups.
Pairwise pairwise(Index num_groups, const std::function<double(Index, Index)>& metric);

/// The same between given clouds.
Pairwise pairwise(std::span<const ConstRows> clouds,
                  const std::function<double(ConstRows, ConstRows)>& metric);

}  // namespace conflux

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "metrics/clouds_internal.h"
#include "metrics/costs_internal.h"

namespace conflux {

namespace {

constexpr Index kRowsPerUpdate = 32;

// With less blur, rounding of the costs would decide where the mass goes.
constexpr double kSmallestRelativeEpsilon = 1e-10;

using Potential = RowArray<double>;

void validate(const SinkhornOptions& options) {
  const double epsilon = options.epsilon.value_or(options.relative_epsilon);
  if (!(epsilon > 0) || !std::isfinite(epsilon)) {
    throw InvalidOption(fmt::format("SinkhornOptions.{}epsilon is {}; it must be positive.",
                                    options.epsilon ? "" : "relative_", epsilon));
  }
  if (!(options.tolerance > 0)) {
    throw InvalidOption(
        fmt::format("SinkhornOptions.tolerance is {}; it must be positive.", options.tolerance));
  }
  if (options.max_iterations < 1) {
    throw InvalidOption(fmt::format("SinkhornOptions.max_iterations is {}; choose at least 1.",
                                    options.max_iterations));
  }
}

void check_blur(double epsilon, double largest_cost) {
  if (epsilon >= kSmallestRelativeEpsilon * largest_cost) return;
  throw InvalidOption(fmt::format(
      "a Sinkhorn blur of {} is too small for squared distances up to {}; choose at least {}, or "
      "the exact distance.",
      epsilon, largest_cost, kSmallestRelativeEpsilon * largest_cost));
}

// The potential of the rows for which every row of the plan has its mass, given that of the
// columns: a minimum of cost - potential, smoothed by epsilon.
Potential soft_min(const Matrix& cost, const Potential& columns, double epsilon,
                   const Workers& workers) {
  Potential rows(cost.rows());
  const double log_mass = -std::log(static_cast<double>(cost.cols()));
  workers.for_each_block(cost.rows(), kRowsPerUpdate, [&](Index begin, Index end) {
    Potential terms(cost.cols());
    for (Index i = begin; i < end; ++i) {
      terms = (columns - cost.row(i).array()) / epsilon;
      rows[i] = -epsilon * (log_sum_exp(terms) + log_mass);
    }
  });
  return rows;
}

// L1 error of the row sums of the plan of `rows`, when `fitted` would make them right.
double marginal_error(const Potential& rows, const Potential& fitted, double epsilon) {
  return (((rows - fitted) / epsilon).exp() - 1).abs().mean();
}

struct Solved {
  double value = 0;
  int iterations = 0;
  bool converged = false;
};

// Runs `step(epsilon)`, which returns the marginal error it found, until that is small at the last
// epsilon.
template <class Step>
Solved iterate(double largest_cost, double epsilon, const SinkhornOptions& options,
               const Step& step) {
  Solved solved;
  double blur = std::max(epsilon, largest_cost);
  while (solved.iterations < options.max_iterations && !solved.converged) {
    ++solved.iterations;
    const double error = step(blur);
    solved.converged = blur == epsilon && error <= options.tolerance;
    blur = std::max(epsilon, blur / 2);
  }
  return solved;
}

// OT_eps between two clouds: f and g are fitted in turn.
Solved solve_pair(const Matrix& cost, double epsilon, const SinkhornOptions& options,
                  const Workers& workers) {
  const Matrix transposed = cost.transpose();
  Potential f = Potential::Zero(cost.rows());
  Potential g = Potential::Zero(cost.cols());
  Solved solved = iterate(cost.maxCoeff(), epsilon, options, [&](double blur) {
    const Potential fitted = soft_min(cost, g, blur, workers);
    const double error = marginal_error(f, fitted, blur);
    f = fitted;
    g = soft_min(transposed, f, blur, workers);
    return error;
  });
  solved.value = f.mean() + g.mean();
  return solved;
}

// OT_eps of a cloud with itself: f = g, and the mean of old and fitted potential converges fast.
Solved solve_self(const Matrix& cost, double epsilon, const SinkhornOptions& options,
                  const Workers& workers) {
  Potential f = Potential::Zero(cost.rows());
  Solved solved = iterate(cost.maxCoeff(), epsilon, options, [&](double blur) {
    const Potential fitted = soft_min(cost, f, blur, workers);
    const double error = marginal_error(f, fitted, blur);
    f = (f + fitted) / 2;
    return error;
  });
  solved.value = 2 * f.mean();
  return solved;
}

}  // namespace

SinkhornDivergence sinkhorn_divergence(ConstRows x, ConstRows y, const SinkhornOptions& options,
                                       const Workers& workers) {
  validate(options);
  check_clouds(x, y);
  const Matrix cost = squared_distances<double>(x, y, workers);
  SinkhornDivergence result;
  result.epsilon = options.epsilon.value_or(options.relative_epsilon * cost.mean());
  if (result.epsilon == 0) return result;  // all points coincide
  check_blur(result.epsilon, cost.maxCoeff());

  const auto add = [&](double factor, const Solved& solved) {
    result.value += factor * solved.value;
    result.iterations = std::max(result.iterations, solved.iterations);
    result.converged = result.converged && solved.converged;
  };
  add(1, solve_pair(cost, result.epsilon, options, workers));
  for (const ConstRows& cloud : {x, y}) {
    const Matrix own = squared_distances<double>(cloud, cloud, workers);
    add(-0.5, solve_self(own, result.epsilon, options, workers));
  }
  return result;
}

}  // namespace conflux

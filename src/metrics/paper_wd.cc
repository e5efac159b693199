#include "metrics/paper_wd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "conflux/core/error.h"
#include "metrics/clouds_internal.h"
#include "metrics/costs_internal.h"

namespace conflux {

namespace {

// Squares of larger values would leave the range of float.
constexpr double kLargestFloatCoordinate = 1e17;

constexpr Index kRowsPerTask = 32;

void validate(const PaperWdOptions& options) {
  if (!(options.epsilon > 0)) {
    throw InvalidOption(
        fmt::format("PaperWdOptions.epsilon is {}; it must be positive.", options.epsilon));
  }
  if (options.max_iterations < 1) {
    throw InvalidOption(fmt::format("PaperWdOptions.max_iterations is {}; choose at least 1.",
                                    options.max_iterations));
  }
}

// The exponents of one row of the plan.
template <class Scalar>
void log_plan_row(const MatrixOf<Scalar>& cost, Index i, Scalar u, const RowArray<Scalar>& v,
                  Scalar epsilon, RowArray<Scalar>& into) {
  into = (u - cost.row(i).array() + v) / epsilon;
}

// Shifts each u_i so that row i of the plan gets its mass; returns the sum of the shifts.
template <class Scalar>
Scalar fit_rows(const MatrixOf<Scalar>& cost, RowArray<Scalar>& u, const RowArray<Scalar>& v,
                Scalar epsilon, const Workers& workers) {
  const Scalar log_mass = std::log(1 / static_cast<Scalar>(u.size()) + static_cast<Scalar>(1e-8));
  const RowArray<Scalar> old = u;
  workers.for_each_block(u.size(), kRowsPerTask, [&](Index begin, Index end) {
    RowArray<Scalar> terms(v.size());
    for (Index i = begin; i < end; ++i) {
      log_plan_row(cost, i, u[i], v, epsilon, terms);
      u[i] += epsilon * (log_mass - log_sum_exp(terms));
    }
  });
  return (u - old).abs().sum();
}

template <class Scalar>
double plan_cost(const MatrixOf<Scalar>& cost, const RowArray<Scalar>& u, const RowArray<Scalar>& v,
                 Scalar epsilon) {
  RowArray<Scalar> terms(v.size());
  Scalar total = 0;
  for (Index i = 0; i < u.size(); ++i) {
    log_plan_row(cost, i, u[i], v, epsilon, terms);
    for (Index j = 0; j < v.size(); ++j) {
      if (terms[j] > -kNegligible) total += std::exp(terms[j]) * cost(i, j);
    }
  }
  return static_cast<double>(total);
}

template <class Scalar>
PaperWd paper_wd_of_block(const BlockPair& block, const PaperWdOptions& options,
                          const Workers& workers) {
  const auto epsilon = static_cast<Scalar>(options.epsilon);
  const MatrixOf<Scalar> cost = squared_distances<Scalar>(block.x, block.y, workers);
  const MatrixOf<Scalar> transposed = cost.transpose();
  RowArray<Scalar> u = RowArray<Scalar>::Zero(cost.rows());
  RowArray<Scalar> v = RowArray<Scalar>::Zero(cost.cols());
  PaperWd result;
  while (result.iterations < options.max_iterations) {
    ++result.iterations;
    const Scalar change = fit_rows(cost, u, v, epsilon, workers);
    fit_rows(transposed, v, u, epsilon, workers);
    if (change < static_cast<Scalar>(options.threshold)) break;
  }
  result.value = plan_cost(cost, u, v, epsilon);
  return result;
}

}  // namespace

PaperWd paper_wd(ConstRows x, ConstRows y, const PaperWdOptions& options, const Workers& workers) {
  validate(options);
  const bool single = options.scalar == PaperWdScalar::kFloat;
  check_clouds(x, y, single ? kLargestFloatCoordinate : kLargestCoordinate);
  const std::vector<BlockPair> blocks = cut_in_step(x, y, options.block);
  std::vector<PaperWd> results(blocks.size());
  workers.for_each(static_cast<Index>(blocks.size()), [&](Index b) {
    results[b] = single ? paper_wd_of_block<float>(blocks[b], options, workers)
                        : paper_wd_of_block<double>(blocks[b], options, workers);
  });
  PaperWd mean;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    mean.value += blocks[b].share * results[b].value;
    mean.iterations = std::max(mean.iterations, results[b].iterations);
  }
  return mean;
}

}  // namespace conflux

#include "comparing/rank_tests.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "conflux/core/matrix.h"
#include "core/chi_square.h"
#include "kernels/dense.h"
#include "metrics/ranks.h"

namespace conflux {

namespace {

constexpr Index kDegrees = 3;
// Directions in which scores vary less than this share are rounding: a feature of two values has
// one direction only.
constexpr double kRounding = 1e-9;
// The chi-square law is trusted unless fewer rows than this, on average, of the smallest group have
// another value than the most frequent one, and such rows are rare.
constexpr double kRowsToTrust = 10;
constexpr double kRareShare = 0.25;

using Scores = Eigen::Matrix<double, Eigen::Dynamic, kDegrees>;

// With mean 0 over the rows.
Scores legendre_scores(const std::vector<double>& ranks) {
  const auto count = static_cast<Index>(ranks.size());
  Scores out(count, kDegrees);
  for (Index i = 0; i < count; ++i) {
    const double t = (2 * ranks[i] - 1) / static_cast<double>(count) - 1;
    out.row(i) << t, 1.5 * t * t - 0.5, 2.5 * t * t * t - 1.5 * t;
  }
  out.rowwise() -= out.colwise().mean().eval();
  return out;
}

Index rows_beside_the_most_frequent(std::vector<double> ranks) {
  std::sort(ranks.begin(), ranks.end());
  Index most = 0, run = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    run = i > 0 && ranks[i] == ranks[i - 1] ? run + 1 : 1;
    most = std::max(most, run);
  }
  return static_cast<Index>(ranks.size()) - most;
}

// Bernstein's inequality for sums of rows drawn without replacement, over all groups and both
// sides.
double bernstein_bound(const Vector& scores, std::span<const Index> group_of,
                       const std::vector<double>& sizes) {
  const double variance = scores.squaredNorm() / static_cast<double>(scores.size());
  const double largest = scores.cwiseAbs().maxCoeff();
  std::vector<double> sums(sizes.size(), 0.0);
  for (Index i = 0; i < scores.size(); ++i) sums[group_of[i]] += scores(i);
  double out = 1;
  for (std::size_t m = 0; m < sizes.size(); ++m) {
    const double sum = std::abs(sums[m]);
    const double scale = 2 * sizes[m] * variance + 2 * largest * sum / 3;
    if (scale > 0) out = std::min(out, 2 * std::exp(-sum * sum / scale));
  }
  return std::min(1.0, out * static_cast<double>(sizes.size()));
}

}  // namespace

double rank_test(std::span<const double> values, std::span<const Index> group_of, Index groups) {
  const auto count = static_cast<double>(values.size());
  std::vector<double> sizes(static_cast<std::size_t>(groups), 0.0);
  for (const Index m : group_of) sizes[m] += 1;
  const std::vector<double> ranks = midranks(values);
  const auto beside = static_cast<double>(rows_beside_the_most_frequent(ranks));
  if (beside == 0) return 1;
  const Scores scores = legendre_scores(ranks);
  double smallest = count;
  for (const double size : sizes) smallest = size > 0 ? std::min(smallest, size) : smallest;
  if (beside < kRareShare * count && beside * smallest < kRowsToTrust * count) {
    return bernstein_bound(scores.col(0), group_of, sizes);
  }
  Eigen::Matrix<double, Eigen::Dynamic, kDegrees> sums =
      Eigen::Matrix<double, Eigen::Dynamic, kDegrees>::Zero(groups, kDegrees);
  for (Index i = 0; i < scores.rows(); ++i) sums.row(group_of[i]) += scores.row(i);
  Matrix axes = scores.transpose() * scores / (count - 1);
  const Vector variances = kernels::symmetric_eigen(axes);
  if (variances.size() == 0) return 1;
  double statistic = 0, degrees = 0, present = 0;
  for (const double size : sizes) present += size > 0 ? 1 : 0;
  for (Index k = 0; k < kDegrees; ++k) {
    if (variances(k) <= kRounding * variances(kDegrees - 1)) continue;
    degrees += present - 1;
    for (Index m = 0; m < groups; ++m) {
      const double sum = sums.row(m).dot(axes.row(k));
      if (sizes[m] > 0) statistic += sum * sum / (sizes[m] * variances(k));
    }
  }
  return degrees > 0 ? chi_square_tail(statistic, degrees) : 1;
}

std::vector<double> false_discovery_rates(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> out(p_values.size());
  double least = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const double rate =
        p_values[order[i]] * static_cast<double>(order.size()) / static_cast<double>(i + 1);
    least = std::min(least, rate);
    out[order[i]] = least;
  }
  return out;
}

}  // namespace conflux

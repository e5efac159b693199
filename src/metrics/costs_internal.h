// Cost matrices and the log-domain sum that entropic transport is made of.

#pragma once

#include <algorithm>
#include <cmath>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

/// Rows that one task takes, and rows of the other cloud that stay in cache meanwhile.
inline constexpr Index kCostTile = 16;

template <class Scalar>
using RowArray = Eigen::Array<Scalar, 1, Eigen::Dynamic>;

/// Calls visit(i, j, squared distance) for rows begin .. end-1 of x and all rows of y. Differences
/// are squared one by one: the form |x|^2 + |y|^2 - 2xy would cancel for close points.
template <class X, class Y, class Visit>
void visit_squared_distances(const X& x, const Y& y, Index begin, Index end, const Visit& visit) {
  for (Index tile = 0; tile < y.rows(); tile += kCostTile) {
    const Index tile_end = std::min<Index>(y.rows(), tile + kCostTile);
    for (Index i = begin; i < end; ++i) {
      for (Index j = tile; j < tile_end; ++j) {
        visit(i, j, (x.row(i) - y.row(j)).squaredNorm());
      }
    }
  }
}

/// All squared distances between the rows of x and y, rounded to Scalar before and after.
template <class Scalar>
MatrixOf<Scalar> squared_distances(ConstRows x, ConstRows y, const Workers& workers) {
  const MatrixOf<Scalar> a = x.eigen().template cast<Scalar>();
  const MatrixOf<Scalar> b = y.eigen().template cast<Scalar>();
  MatrixOf<Scalar> cost(x.rows(), y.rows());
  workers.for_each_block(x.rows(), kCostTile, [&](Index begin, Index end) {
    visit_squared_distances(a, b, begin, end,
                            [&](Index i, Index j, Scalar square) { cost(i, j) = square; });
  });
  return cost;
}

/// exp of less than this below the largest term vanishes in the rounding of the sum.
inline constexpr int kNegligible = 50;

/// log(sum(exp(terms))). With a small blur nearly all terms are negligible and cost no exp.
template <class Scalar>
Scalar log_sum_exp(const RowArray<Scalar>& terms) {
  const Scalar top = terms.maxCoeff();
  Scalar sum = 0;
  for (Index j = 0; j < terms.size(); ++j) {
    const Scalar below = terms[j] - top;
    if (below > -kNegligible) sum += std::exp(below);
  }
  return top + std::log(sum);
}

}  // namespace conflux

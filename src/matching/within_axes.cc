#include "matching/within_axes.h"

#include <algorithm>
#include <cmath>

#include "conflux/core/error.h"
#include "kernels/dense.h"
#include "kernels/product.h"

namespace conflux {

namespace {

// Part of the largest variance below which an axis is rounding.
constexpr double kFlat = 1e-12;

std::span<double> numbers_of(Matrix& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}

void measure(const std::vector<MeasuredScale>& scales, Matrix& rows) {
  for (std::size_t j = 0; j < scales.size(); ++j) {
    if (scales[j].coordinates.empty()) continue;
    for (double& each : rows.col(static_cast<Index>(j))) each = scales[j].value(each);
  }
}

// Rows of all groups and processes, each divided by the root of its group's size: their Gram matrix
// is the sum of the groups' covariances. Of fewer rows than features, the small matrix of their
// inner products has the same axes, and costs less by the square of the ratio.
Matrix axes_of_few_rows(const std::vector<Matrix>& rows, const Vector& totals, Index count,
                        Communicator& comm) {
  std::vector<double> packed;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    const double factor = 1 / std::sqrt(totals(static_cast<Index>(m)));
    for (Index k = 0; k < rows[m].size(); ++k) packed.push_back(factor * rows[m].data()[k]);
  }
  packed = comm.gather(packed);
  const Index dim = rows.front().cols();
  const Eigen::Map<const Matrix> all(packed.data(), static_cast<Index>(packed.size()) / dim, dim);
  Matrix inner = kernels::product(all, all.transpose());
  const Vector values = kernels::symmetric_eigen(inner);
  // Centered rows leave at least one axis without variance, whose direction is rounding.
  Index known = 0;
  const Index most = values.size() == 0 ? 0 : std::min(count, values.size());
  while (known < most && values(values.size() - 1 - known) > kFlat * values(values.size() - 1)) {
    ++known;
  }
  if (known == 0) return Matrix::Identity(dim, 1);
  const Matrix leading = inner.bottomRows(known).colwise().reverse();
  return kernels::orthonormal_basis(kernels::product(leading, all).transpose());
}

}  // namespace

Matrix WithinAxes::of(const Group& group, const std::vector<Index>& chosen,
                      const Workers& workers) const {
  Matrix out(static_cast<Index>(chosen.size()), columns.cols());
  workers.for_each_block(out.rows(), 256, [&](Index begin, Index end) {
    Matrix block(end - begin, columns.rows());
    for (Index i = begin; i < end; ++i) {
      group.rows.copy_row(chosen[i], block.row(i - begin).data());
    }
    measure(measured, block);
    block.rowwise() -= center;
    out.middleRows(begin, end - begin) = kernels::product(block, columns);
  });
  return out;
}

WithinAxes find_within_axes(const GroupSet& groups, const std::vector<std::vector<Index>>& chosen,
                            Index count, Communicator& comm, const Workers& workers) {
  const Index dim = groups.dim();
  const Index num_groups = groups.num_groups();
  Matrix sums = Matrix::Zero(num_groups, dim + 1);
  std::vector<Matrix> rows;
  for (Index m = 0; m < num_groups; ++m) {
    Matrix& own = rows.emplace_back(static_cast<Index>(chosen[m].size()), dim);
    for (Index i = 0; i < own.rows(); ++i) groups[m].rows.copy_row(chosen[m][i], own.row(i).data());
    measure(groups.measured(), own);
    // Another process may have all rows of a group, and no rows have no address to add up from.
    if (own.rows() > 0) sums.row(m).head(dim) = own.colwise().sum();
    sums(m, dim) = static_cast<double>(own.rows());
  }
  comm.sum(numbers_of(sums));
  const Vector totals = sums.col(dim).cwiseMax(1.0);
  const Matrix means = totals.cwiseInverse().asDiagonal() * sums.leftCols(dim);
  for (Index m = 0; m < num_groups; ++m) rows[m].rowwise() -= means.row(m);
  const kernels::SerialBlas serial;
  if (totals.sum() < static_cast<double>(dim)) {
    return {.center = means.colwise().mean(),
            .columns = axes_of_few_rows(rows, totals, std::min(count, dim), comm),
            .measured = groups.measured()};
  }
  Matrix covariance = Matrix::Zero(dim, dim);
  for (Index m = 0; m < num_groups; ++m) {
    // Columns of the product in tasks of a fixed width, so that bits do not depend on threads.
    workers.for_each_block(dim, 64, [&](Index begin, Index end) {
      kernels::add_gram(rows[m], 1 / totals(m), begin, end, covariance);
    });
  }
  comm.sum(numbers_of(covariance));
  Matrix vectors = covariance.selfadjointView<Eigen::Upper>();
  if (kernels::symmetric_eigen(vectors).size() == 0) {
    throw Error("the eigenvalues of the covariance did not converge; rescale the features.");
  }
  const Index kept = std::min(count, dim);
  return {.center = means.colwise().mean(),
          .columns = vectors.bottomRows(kept).colwise().reverse().transpose(),
          .measured = groups.measured()};
}

}  // namespace conflux

#include "metrics/dense_experts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/rng.h"
#include "core/stop.h"
#include "kernels/dense.h"
#include "kernels/product.h"

namespace conflux {

namespace {

// Little and much of it; the panel weighs them.
constexpr std::array kRidges{0.01, 1.0};
struct Shrinkage {
  double to_shared;
  double ridge;
};
constexpr std::array kShrinkages{Shrinkage{0.1, 0.02}, Shrinkage{0.5, 0.2}};
constexpr std::array kPenalties{0.1, 3.0};
static_assert(kRidges.size() + kShrinkages.size() + kPenalties.size() == DenseExperts::kCount);

// Covariances of one class take as many numbers as 64 features have pairs; the first features are
// the ones that tell most.
constexpr Index kMostQuadraticFeatures = 64;
constexpr Index kMostCenters = 256;
// Rows that are scored at a time.
constexpr Index kScoredRows = 2'048;

// The inverse of the Cholesky factor; the matrix has a ridge, so it is positive definite.
Matrix whitening_of(const Matrix& covariance, double& half_log_determinant) {
  const auto factor = kernels::cholesky_factor(covariance);
  half_log_determinant = 0;
  if (!factor) return Matrix::Identity(covariance.rows(), covariance.cols());
  half_log_determinant = factor->diagonal().array().log().sum();
  return factor->triangularView<Eigen::Lower>().solve(
      Matrix::Identity(covariance.rows(), covariance.cols()));
}

Matrix gram(const Matrix& rows) {
  Matrix out = Matrix::Zero(rows.cols(), rows.cols());
  kernels::add_gram(rows, 1.0, 0, rows.cols(), out);
  return out.selfadjointView<Eigen::Upper>();
}

}  // namespace

DenseExperts::DenseExperts(const Matrix& rows, const std::vector<Index>& class_of, Index classes,
                           std::uint64_t seed)
    : classes_(classes), quadratic_dim_(std::min(rows.cols(), kMostQuadraticFeatures)) {
  fit_means(rows, class_of);
  fit_gaussians(rows, class_of);
  throw_if_stopped();
  fit_ridges(rows, class_of, seed);
}

void DenseExperts::fit_means(const Matrix& rows, const std::vector<Index>& class_of) {
  means_ = Matrix::Zero(classes_, rows.cols());
  shares_.assign(static_cast<std::size_t>(classes_), 0.0);
  for (Index i = 0; i < rows.rows(); ++i) {
    means_.row(class_of[i]) += rows.row(i);
    shares_[class_of[i]] += 1;
  }
  for (Index c = 0; c < classes_; ++c) {
    means_.row(c) /= std::max(1.0, shares_[c]);
    shares_[c] /= static_cast<double>(rows.rows());
  }
}

void DenseExperts::fit_gaussians(const Matrix& rows, const std::vector<Index>& class_of) {
  const Index dim = rows.cols();
  std::vector<Index> sizes(static_cast<std::size_t>(classes_), 0);
  for (const Index c : class_of) ++sizes[c];
  std::vector<Matrix> centered, own;
  for (const Index size : sizes) centered.emplace_back(size, dim);
  std::vector<Index> at(sizes.size(), 0);
  for (Index i = 0; i < rows.rows(); ++i) {
    const Index c = class_of[i];
    centered[c].row(at[c]++) = rows.row(i) - means_.row(c);
  }
  Matrix shared = Matrix::Zero(dim, dim);
  for (Index c = 0; c < classes_; ++c) {
    own.push_back(gram(centered[c]));
    shared += own.back();
    own.back() = Matrix(own.back().topLeftCorner(quadratic_dim_, quadratic_dim_)) /
                 std::max<double>(1, static_cast<double>(sizes[c]));
    throw_if_stopped();
  }
  shared /= static_cast<double>(rows.rows());
  for (const double ridge : kRidges) {
    Matrix covariance = shared;
    covariance.diagonal().array() += ridge;
    Gaussian& each = linear_.emplace_back();
    each.whitening.push_back(whitening_of(covariance, each.half_log_determinant.emplace_back()));
  }
  const Matrix corner = shared.topLeftCorner(quadratic_dim_, quadratic_dim_);
  for (const Shrinkage& shrinkage : kShrinkages) {
    Gaussian& each = quadratic_.emplace_back();
    for (Index c = 0; c < classes_; ++c) {
      Matrix covariance = (1 - shrinkage.to_shared) * own[c] + shrinkage.to_shared * corner;
      covariance.diagonal().array() += shrinkage.ridge;
      each.whitening.push_back(whitening_of(covariance, each.half_log_determinant.emplace_back()));
    }
  }
}

// Gaussian kernel: exp(-|x - y|^2 / features).
Matrix DenseExperts::kernel(const Matrix& rows) const {
  Matrix out = kernels::product(rows, centers_.transpose());
  const Vector norms = rows.rowwise().squaredNorm();
  const Eigen::RowVectorXd of_centers = centers_.rowwise().squaredNorm().transpose();
  const double scale = 1 / static_cast<double>(rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    out.row(i) = ((2 * out.row(i) - of_centers).array() - norms(i)) * scale;
  }
  out = out.array().exp();
  return out;
}

void DenseExperts::fit_ridges(const Matrix& rows, const std::vector<Index>& class_of,
                              std::uint64_t seed) {
  const Index count = std::min(rows.rows(), kMostCenters);
  const std::vector<Index> chosen =
      Stream(seed, Purpose::kPrediction, 0, 1'000'003).start_of_permutation(rows.rows(), count);
  centers_ = rows(chosen, Eigen::all);
  Matrix targets(rows.rows(), classes_);
  for (Index c = 0; c < classes_; ++c) targets.col(c).setConstant(-shares_[c]);
  for (Index i = 0; i < rows.rows(); ++i) targets(i, class_of[i]) += 1;
  Matrix products = Matrix::Zero(count, count), right = Matrix::Zero(count, classes_);
  for (Index begin = 0; begin < rows.rows(); begin += kScoredRows) {
    throw_if_stopped();
    const Index size = std::min(kScoredRows, rows.rows() - begin);
    const Matrix near = kernel(rows.middleRows(begin, size));
    products += gram(near);
    right += kernels::product(near.transpose(), targets.middleRows(begin, size));
  }
  const Matrix among = kernel(centers_);
  for (const double penalty : kPenalties) {
    Matrix left = products + penalty * among;
    // Rounding leaves equal centers apart.
    left.diagonal().array() += 1e-8 * left.diagonal().maxCoeff();
    const auto solved = kernels::solve_positive(left, right);
    ridges_.push_back({solved ? *solved : Matrix::Zero(count, classes_)});
  }
}

Matrix DenseExperts::gaussian_scores(const Gaussian& gaussian, const Matrix& rows,
                                     Index dim) const {
  const bool shared = gaussian.whitening.size() == 1;
  Matrix out(rows.rows(), classes_);
  Matrix white;
  for (Index c = 0; c < classes_; ++c) {
    const std::size_t which = shared ? 0 : static_cast<std::size_t>(c);
    const Matrix transposed = gaussian.whitening[which].transpose();
    if (c == 0 || !shared) white = kernels::product(rows.leftCols(dim), transposed);
    const Eigen::RowVectorXd center = means_.row(c).head(dim) * transposed;
    out.col(c) = -0.5 * (white.rowwise() - center).rowwise().squaredNorm();
    out.col(c).array() -= gaussian.half_log_determinant[which];
  }
  against_others(out);
  return out;
}

// The largest term is left out of a sum by adding up the others; any other one by subtraction.
void DenseExperts::against_others(Matrix& log_densities) const {
  const double never = -std::numeric_limits<double>::infinity();
  std::vector<double> row(static_cast<std::size_t>(classes_));
  for (Index i = 0; i < log_densities.rows(); ++i) {
    for (Index c = 0; c < classes_; ++c) {
      row[c] = shares_[c] > 0 ? log_densities(i, c) + std::log(shares_[c]) : never;
    }
    const Index top = std::max_element(row.begin(), row.end()) - row.begin();
    double second = never, rest = 0, all = 0;
    for (Index c = 0; c < classes_; ++c) second = c == top ? second : std::max(second, row[c]);
    for (Index c = 0; c < classes_; ++c) {
      if (c != top && std::isfinite(second)) rest += std::exp(row[c] - second);
      all += std::exp(row[c] - row[top]);
    }
    for (Index c = 0; c < classes_; ++c) {
      const double others = c == top ? second + std::log(std::max(rest, 1.0))
                                     : row[top] + std::log(all - std::exp(row[c] - row[top]));
      const bool known = std::isfinite(row[c]) && std::isfinite(others);
      log_densities(i, c) = known ? row[c] - others : 0.0;
    }
  }
}

std::vector<Matrix> DenseExperts::scores(const Matrix& rows) const {
  std::vector<Matrix> out(static_cast<std::size_t>(kCount), Matrix(rows.rows(), classes_));
  for (Index begin = 0; begin < rows.rows(); begin += kScoredRows) {
    throw_if_stopped();
    const Index size = std::min(kScoredRows, rows.rows() - begin);
    const Matrix block = rows.middleRows(begin, size);
    std::size_t e = 0;
    for (const Gaussian& each : linear_) {
      out[e++].middleRows(begin, size) = gaussian_scores(each, block, block.cols());
    }
    for (const Gaussian& each : quadratic_) {
      out[e++].middleRows(begin, size) = gaussian_scores(each, block, quadratic_dim_);
    }
    const Matrix near = kernel(block);
    for (const Ridge& each : ridges_) {
      out[e++].middleRows(begin, size) = kernels::product(near, each.coefficients);
    }
  }
  return out;
}

}  // namespace conflux

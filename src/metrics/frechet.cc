#include <fmt/format.h>

#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "kernels/dense.h"
#include "kernels/product.h"
#include "metrics/clouds_internal.h"

namespace conflux {

namespace {

struct Moments {
  explicit Moments(ConstRows rows) : mean(rows.eigen().colwise().mean()) {
    const Matrix centered = rows.eigen().rowwise() - mean;
    covariance =
        kernels::product(centered.transpose(), centered) / static_cast<double>(rows.rows() - 1);
  }

  Eigen::RowVectorXd mean;
  Matrix covariance;
};

// Roots of the eigenvalues. Rounding may push those of a singular covariance below 0.
Vector roots_of(const Vector& eigenvalues) {
  if (eigenvalues.size() == 0) {
    throw Error("the eigenvalues of a covariance did not converge; rescale the features.");
  }
  return eigenvalues.cwiseMax(0).cwiseSqrt();
}

}  // namespace

// (C_1 C_2)^1/2 has the trace of (C_1^1/2 C_2 C_1^1/2)^1/2, which is symmetric.
double frechet_distance(ConstRows x, ConstRows y) {
  check_clouds(x, y);
  if (x.rows() < 2 || y.rows() < 2) {
    throw InvalidData("a covariance needs at least 2 rows in each cloud.");
  }
  const Moments a(x);
  const Moments b(y);
  Matrix axes = a.covariance;  // one per row
  const Vector deviations = roots_of(kernels::symmetric_eigen(axes));
  const Matrix root = kernels::product(axes.transpose() * deviations.asDiagonal(), axes);
  const Matrix mixed = kernels::product(kernels::product(root, b.covariance), root);
  const double cross = roots_of(kernels::symmetric_eigenvalues(mixed)).sum();
  return (a.mean - b.mean).squaredNorm() + a.covariance.trace() + b.covariance.trace() - 2 * cross;
}

}  // namespace conflux

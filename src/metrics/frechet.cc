#include "conflux/metrics/frechet.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>

#include "conflux/core/error.h"
#include "metrics/clouds_internal.h"

namespace conflux {

namespace {

struct Moments {
  explicit Moments(ConstRows rows) : mean(rows.eigen().colwise().mean()) {
    const Eigen::MatrixXd centred = rows.eigen().rowwise() - mean;
    covariance = centred.transpose() * centred / static_cast<double>(rows.rows() - 1);
  }

  Eigen::RowVectorXd mean;
  Eigen::MatrixXd covariance;
};

using Spectrum = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;

}  // namespace

// (C_1 C_2)^1/2 has the trace of (C_1^1/2 C_2 C_1^1/2)^1/2, which is symmetric. Rounding may push
// eigenvalues of singular covariances below 0.
double frechet_distance(ConstRows x, ConstRows y) {
  check_clouds(x, y);
  if (x.rows() < 2 || y.rows() < 2) {
    throw InvalidData("a covariance needs at least 2 rows in each cloud.");
  }
  const Moments a(x);
  const Moments b(y);
  const Spectrum spectrum(a.covariance);
  const Eigen::MatrixXd root = spectrum.eigenvectors() *
                               spectrum.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal() *
                               spectrum.eigenvectors().transpose();
  const Spectrum mixed(root * b.covariance * root, Eigen::EigenvaluesOnly);
  const double cross = mixed.eigenvalues().cwiseMax(0).cwiseSqrt().sum();
  return (a.mean - b.mean).squaredNorm() + a.covariance.trace() + b.covariance.trace() - 2 * cross;
}

}  // namespace conflux

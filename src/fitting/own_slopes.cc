#include "fitting/own_slopes.h"

#include <cmath>

#include "comm/agreement.h"
#include "fitting/moments.h"
#include "kernels/dense.h"

namespace conflux {

namespace {

// Directions in which covariates vary less, compared with the widest one, say nothing.
constexpr double kLeastSpread = 1e-9;
// The variance of an estimate over its own variance has a mean from three degrees of freedom on.
constexpr double kFewestDegrees = 3;
constexpr int kHalvings = 100;

// Sums of a group over its rows, centered; scaled to the number of rows that tell as much.
struct CovariateSums {
  Matrix with_covariates;  // covariates by covariates
  Matrix with_features;    // covariates by features
  Vector squares;          // of the features
  double rows = 0;
};

CovariateSums sums_of(const Group& group, const RowList& chosen, const FeatureMoments& moments,
                      Index covariates, Communicator& comm) {
  const Index dim = group.rows.cols(), features = dim - covariates;
  std::vector<double> sums(static_cast<std::size_t>(covariates * dim + features + 1), 0.0);
  Eigen::Map<Matrix> products(sums.data(), covariates, dim);
  Eigen::Map<Vector> squares(sums.data() + covariates * dim, features);
  std::vector<double> buffer;
  Vector row(dim);
  in_turn(comm, sums, [&] {
    for (const Index i : chosen) {
      row = Eigen::Map<const Vector>(group.rows.row(i, buffer), dim) - moments.means;
      const double mass = mass_of(group, i);
      for (Index k = 0; k < covariates; ++k) {
        products.row(k) += mass * row(features + k) * row.transpose();
      }
      squares += mass * row.head(features).cwiseAbs2();
      sums.back() += mass;
    }
  });
  const double scale = moments.rows / sums.back();
  return {scale * products.rightCols(covariates), scale * products.leftCols(features),
          scale * squares, moments.rows};
}

// The variance of the differences, 0 if chance alone makes larger ones.
double variance_of_differences(const Matrix& squared, const Vector& noise, double expected) {
  const auto sum_at = [&](double variance) {
    return (noise.array() + variance).inverse().matrix().dot(squared.rowwise().sum());
  };
  if (sum_at(0) <= expected) return 0;
  double low = 0, high = noise.maxCoeff();
  while (sum_at(high) > expected) high *= 2;
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    (sum_at(middle) > expected ? low : high) = middle;
  }
  return high;
}

Matrix own_slopes_of(const CovariateSums& sums, const Matrix& slopes, bool shrinkage) {
  const Index covariates = slopes.rows(), features = slopes.cols();
  const Matrix rest = sums.with_features - sums.with_covariates * slopes;
  const Vector squares =
      sums.squares - slopes.cwiseProduct(sums.with_features + rest).colwise().sum().transpose();
  Matrix directions = sums.with_covariates;
  const Vector spreads = kernels::symmetric_eigen(directions);
  Index first = 0;
  while (first < spreads.size() && !(spreads(first) > kLeastSpread * spreads(covariates - 1))) {
    ++first;
  }
  const Index known = spreads.size() - first;
  const double degrees = sums.rows - 1 - static_cast<double>(known);
  if (known <= 0 || degrees < kFewestDegrees) return Matrix::Zero(covariates, features);
  const Matrix basis = directions.bottomRows(known);
  const Vector spread = spreads.tail(known);
  Matrix found = spread.cwiseInverse().asDiagonal() * (basis * rest);
  if (shrinkage) {
    const Vector noise = spread.cwiseInverse();
    Matrix squared = Matrix::Zero(known, features);
    Index counted = 0;
    for (Index j = 0; j < features; ++j) {
      const double left = (squares(j) - spread.dot(found.col(j).cwiseAbs2())) / degrees;
      if (!(left > 0)) continue;
      squared.col(j) = found.col(j).cwiseAbs2() / left;
      ++counted;
    }
    const double expected = static_cast<double>(counted * known) * degrees / (degrees - 2);
    const double variance = variance_of_differences(squared, noise, expected);
    found = (variance / (noise.array() + variance)).matrix().asDiagonal() * found;
  }
  return basis.transpose() * found;
}

}  // namespace

std::vector<Matrix> fit_own_slopes(const GroupSet& groups, const RowChoice& chosen,
                                   const Matrix& slopes, bool shrinkage, Communicator& comm) {
  const std::vector<FeatureMoments> moments = fit_feature_moments(groups, chosen, comm);
  std::vector<Matrix> out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const CovariateSums sums =
        sums_of(groups[m], chosen[m], moments[static_cast<std::size_t>(m)], slopes.rows(), comm);
    out.push_back(own_slopes_of(sums, slopes, shrinkage));
  }
  return out;
}

}  // namespace conflux

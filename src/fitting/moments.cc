#include "fitting/moments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "comm/agreement.h"
#include "core/disk_scratch.h"
#include "flow/location_scale_layer.h"
#include "kernels/least_squares.h"
#include "kernels/product.h"

namespace conflux {

namespace {

constexpr Index kRowsAtATime = 256;
constexpr Index kFeaturesPerSum = 48;

// The sum of mass (x - mean)(x - mean)^T, with padded rows, and rows that have not been added yet:
// blocks of rows are full before they are, wherever the rows of a process begin.
class Scatter {
 public:
  explicit Scatter(Index dim)
      : dim_(dim),
        width_(kernels::padded_width<double>(dim)),
        numbers_(static_cast<std::size_t>((dim + kRowsAtATime) * width_ + 1), 0.0) {}

  /// Partial sums, which are sent to another process.
  std::span<double> numbers() { return numbers_; }
  const double* sum() const { return numbers_.data(); }

  void add(const Group& group, Index row, const Vector& mean, const Workers& workers) {
    const double root_mass = std::sqrt(mass_of(group, row));
    const auto filled = static_cast<Index>(numbers_.back());
    double* to = block() + filled * width_;
    for (Index j = 0; j < dim_; ++j) to[j] = root_mass * (group.rows(row, j) - mean(j));
    numbers_.back() = static_cast<double>(filled + 1);
    if (filled + 1 == kRowsAtATime) flush(workers);
  }

  void flush(const Workers& workers) {
    const auto filled = static_cast<Index>(numbers_.back());
    numbers_.back() = 0;
    if (filled == 0) return;
    workers.for_each_block(dim_, kFeaturesPerSum, [&](Index first, Index last) {
      kernels::accumulate(block(), width_, filled, first, last, block(), width_, numbers_.data());
    });
  }

 private:
  double* block() { return numbers_.data() + dim_ * width_; }

  Index dim_;
  Index width_;
  std::vector<double> numbers_;  // the sum, the block, how many rows are in it
};

// Sums of one group: the mass, squared masses, and of every feature what is summed and its
// extremes.
struct FeatureSums {
  explicit FeatureSums(Index features)
      : numbers(static_cast<std::size_t>(3 * features + 2), 0.0), dim(features) {
    lowest().setConstant(std::numeric_limits<double>::infinity());
    highest().setConstant(-std::numeric_limits<double>::infinity());
  }

  Eigen::Map<Vector> sum() { return {numbers.data(), dim}; }
  Eigen::Map<Vector> lowest() { return {numbers.data() + dim, dim}; }
  Eigen::Map<Vector> highest() { return {numbers.data() + 2 * dim, dim}; }
  double& mass() { return numbers[static_cast<std::size_t>(3 * dim)]; }
  double& squared_mass() { return numbers[static_cast<std::size_t>(3 * dim + 1)]; }

  std::vector<double> numbers;
  Index dim;
};

FeatureMoments feature_moments_of(const Group& group, const RowList& chosen, const Matrix& slopes,
                                  Communicator& comm) {
  const Index dim = group.rows.cols() - slopes.rows();
  std::vector<double> buffer;
  const auto each_row = [&](const auto& visit) {
    for (const Index i : chosen) {
      if (i % kRowsPerLook == 0) DiskScratch::look();
      const double* row = group.rows.row(i, buffer);
      if (slopes.size() > 0) {
        buffer.resize(static_cast<std::size_t>(group.rows.cols()));
        if (row != buffer.data()) std::copy_n(row, group.rows.cols(), buffer.data());
        subtract_prediction(slopes, buffer.data() + dim, Eigen::Map<Vector>(buffer.data(), dim));
        row = buffer.data();
      }
      visit(mass_of(group, i), Eigen::Map<const Vector>(row, dim));
    }
  };
  FeatureSums all(dim);
  in_turn(comm, all.numbers, [&] {
    each_row([&](double mass, const auto& row) {
      all.mass() += mass;
      all.squared_mass() += mass * mass;
      all.sum() += mass * row;
      all.lowest() = all.lowest().cwiseMin(row);
      all.highest() = all.highest().cwiseMax(row);
    });
  });
  const double mass = all.mass();
  FeatureMoments out;
  out.means = all.sum() / mass;
  out.rows = mass * mass / all.squared_mass();
  std::vector<double> squares(static_cast<std::size_t>(dim), 0.0);
  Eigen::Map<Vector> sum(squares.data(), dim);
  in_turn(comm, squares, [&] {
    each_row([&](double weight, const auto& row) {
      sum.array() += weight * (row - out.means).array().square();
    });
  });
  const double divisor = mass - all.squared_mass() / mass;
  const auto varies = all.lowest().array() < all.highest().array();
  out.variances = varies.select(sum.array() / divisor, 0.0);
  return out;
}

}  // namespace

std::vector<FeatureMoments> fit_feature_moments(const GroupSet& groups, const RowChoice& chosen,
                                                const Matrix& slopes,
                                                const std::vector<Matrix>& own_slopes,
                                                Communicator& comm) {
  std::vector<FeatureMoments> out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    out.push_back(feature_moments_of(
        groups[m], chosen[m], own_slopes.empty() ? slopes : Matrix(slopes + own_slopes[m]), comm));
  }
  return out;
}

std::vector<FeatureMoments> fit_feature_moments(const GroupSet& groups, const RowChoice& chosen,
                                                Communicator& comm) {
  return fit_feature_moments(groups, chosen, Matrix(), {}, comm);
}

// Rows are centered in their groups, so that differences between groups tell nothing.
Matrix fit_covariate_slopes(const GroupSet& groups, const RowChoice& chosen, Communicator& comm) {
  const Index covariates = groups.covariates(), dim = groups.dim(), features = dim - covariates;
  if (covariates == 0) return {};
  const std::vector<FeatureMoments> moments = fit_feature_moments(groups, chosen, comm);
  std::vector<double> sums(static_cast<std::size_t>(covariates * dim), 0.0);
  Eigen::Map<Matrix> products(sums.data(), covariates, dim);
  std::vector<double> buffer;
  Vector row(dim);
  for (Index m = 0; m < groups.num_groups(); ++m) {
    in_turn(comm, sums, [&] {
      for (const Index i : chosen[m]) {
        if (i % kRowsPerLook == 0) DiskScratch::look();
        row = Eigen::Map<const Vector>(groups[m].rows.row(i, buffer), dim) - moments[m].means;
        const double mass = mass_of(groups[m], i);
        for (Index k = 0; k < covariates; ++k) {
          products.row(k) += mass * row(features + k) * row.transpose();
        }
      }
    });
  }
  return kernels::slopes_of_moments(products.rightCols(covariates), products.leftCols(features));
}

Moments fit_moments(const GroupSet& groups, const RowChoice& chosen, Communicator& comm,
                    const Workers& workers) {
  const Index dim = groups.dim();
  const Index width = kernels::padded_width<double>(dim);
  Moments moments;
  std::vector<double> buffer;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    // Mean, mass and the sum of squared masses.
    std::vector<double> sums(static_cast<std::size_t>(dim + 2), 0.0);
    Eigen::Map<Vector> sum(sums.data(), dim);
    double& mass = sums[dim];
    double& squared_mass = sums[dim + 1];
    in_turn(comm, sums, [&] {
      for (const Index i : chosen[m]) {
        if (i % kRowsPerLook == 0) DiskScratch::look();
        const double w = mass_of(groups[m], i);
        mass += w;
        squared_mass += w * w;
        sum += w * Eigen::Map<const Vector>(groups[m].rows.row(i, buffer), dim);
      }
    });
    Vector mean = sum / mass;
    Scatter scatter(dim);
    in_turn(comm, scatter.numbers(), [&] {
      for (const Index i : chosen[m]) {
        if (i % kRowsPerLook == 0) DiskScratch::look();
        scatter.add(groups[m], i, mean, workers);
      }
    });
    scatter.flush(workers);
    // For equal masses the divisor is rows - 1; a single row has no spread to divide.
    const double divisor = mass - squared_mass / mass;
    const Eigen::Map<const Matrix, Eigen::Unaligned, Eigen::OuterStride<>> padded(
        scatter.sum(), dim, dim, Eigen::OuterStride<>(width));
    moments.covariances.push_back(divisor > 0 ? Matrix(padded / divisor) : Matrix::Zero(dim, dim));
    moments.shrinkage.push_back(divisor / mass);
    moments.means.push_back(std::move(mean));
  }
  return moments;
}

}  // namespace conflux

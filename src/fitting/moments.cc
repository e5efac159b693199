#include "fitting/moments.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "comm/agreement.h"
#include "core/disk_scratch.h"
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

  /// What another process needs to go on.
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

}  // namespace

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

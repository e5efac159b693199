#include "fitting/moments.h"

#include <algorithm>
#include <cmath>

#include "core/disk_scratch.h"
#include "kernels/product.h"

namespace conflux {

namespace {

constexpr Index kRowsAtATime = 256;
constexpr Index kFeaturesPerSum = 48;

// Adds mass (x - mean)(x - mean)^T of the chosen rows to `out`, which has padded rows.
void add_scatter(const Group& group, const std::vector<Index>& chosen, const Vector& mean,
                 std::vector<double>& out, const Workers& workers) {
  const Index dim = mean.size();
  const Index width = kernels::padded_width<double>(dim);
  std::vector<double> block(static_cast<std::size_t>(kRowsAtATime * width), 0.0);
  const auto total = static_cast<Index>(chosen.size());
  for (Index begin = 0; begin < total; begin += kRowsAtATime) {
    const Index count = std::min(kRowsAtATime, total - begin);
    if (begin % kRowsPerLook == 0) DiskScratch::look();
    for (Index i = 0; i < count; ++i) {
      const Index row = chosen[begin + i];
      const double root_mass = std::sqrt(mass_of(group, row));
      for (Index j = 0; j < dim; ++j) {
        block[i * width + j] = root_mass * (group.rows(row, j) - mean(j));
      }
    }
    workers.for_each_block(dim, kFeaturesPerSum, [&](Index first, Index last) {
      kernels::accumulate(block.data(), width, count, first, last, block.data(), width, out.data());
    });
  }
}

}  // namespace

Moments fit_moments(const GroupSet& groups, const RowChoice& chosen, Communicator& comm,
                    const Workers& workers) {
  const Index dim = groups.dim();
  const Index width = kernels::padded_width<double>(dim);
  Moments moments;
  std::vector<double> buffer;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    double mass = 0;
    double squared_mass = 0;
    Vector mean = Vector::Zero(dim);
    for (const Index i : chosen[m]) {
      if (i % kRowsPerLook == 0) DiskScratch::look();
      const double w = mass_of(groups[m], i);
      mass += w;
      squared_mass += w * w;
      mean += w * Eigen::Map<const Vector>(groups[m].rows.row(i, buffer), dim);
    }
    mass = comm.sum(mass);
    squared_mass = comm.sum(squared_mass);
    comm.sum(std::span(mean.data(), static_cast<std::size_t>(dim)));
    mean /= mass;
    std::vector<double> scatter(static_cast<std::size_t>(dim * width), 0.0);
    add_scatter(groups[m], chosen[m], mean, scatter, workers);
    comm.sum(scatter);
    // For equal masses the divisor is rows - 1; a single row has no spread to divide.
    const double divisor = mass - squared_mass / mass;
    const Eigen::Map<const Matrix, Eigen::Unaligned, Eigen::OuterStride<>> padded(
        scatter.data(), dim, dim, Eigen::OuterStride<>(width));
    moments.covariances.push_back(divisor > 0 ? Matrix(padded / divisor) : Matrix::Zero(dim, dim));
    moments.shrinkage.push_back(divisor / mass);
    moments.means.push_back(std::move(mean));
  }
  return moments;
}

}  // namespace conflux

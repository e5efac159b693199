#include "matching/k_means.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace conflux {

namespace {

// Centers that a process sends for each cluster that is wanted; seeds need no more.
constexpr Index kSentPerCluster = 8;
// Points whose distances to all centers are computed at once; the block stays in the cache.
constexpr Index kBlock = 512;

/// Calls see(i, nearest center, squared distance) for every point.
template <class See>
void for_each_nearest(const Matrix& points, const Matrix& centers, See see) {
  const Vector half_squares = 0.5 * centers.rowwise().squaredNorm();
  for (Index begin = 0; begin < points.rows(); begin += kBlock) {
    const auto block = points.middleRows(begin, std::min(kBlock, points.rows() - begin));
    Matrix scores = block * centers.transpose();
    scores.rowwise() -= half_squares.transpose();
    for (Index i = 0; i < block.rows(); ++i) {
      Index best = 0;
      const double score = scores.row(i).maxCoeff(&best);
      see(begin + i, best, std::max(0.0, block.row(i).squaredNorm() - 2 * score));
    }
  }
}

Index draw(const Vector& chances, Stream& stream) {
  double left = stream.uniform() * chances.sum();
  Index pick = 0;
  while (pick + 1 < chances.size() && (left -= chances(pick)) > 0) ++pick;
  return pick;
}

// Greedy k-means++: points far from the earlier seeds are the likelier candidates, and the best of
// a few is taken. With single candidates, one of ten clusters was split and two others were joined.
Matrix choose_seeds(const Matrix& points, const Vector& masses, Index count, Stream& stream) {
  const Index n = points.rows();
  const auto candidates = 2 + static_cast<int>(std::log(static_cast<double>(count)));
  Matrix seeds(count, points.cols());
  Vector chances = masses;
  Vector nearest = Vector::Constant(n, std::numeric_limits<double>::infinity());
  for (Index c = 0; c < count; ++c) {
    double least = std::numeric_limits<double>::infinity();
    Vector best = nearest;
    for (int k = 0; k < (c == 0 ? 1 : candidates); ++k) {
      const Index pick = draw(chances, stream);
      Vector reached =
          nearest.cwiseMin((points.rowwise() - points.row(pick)).rowwise().squaredNorm());
      const double spread = masses.dot(reached);
      if (spread >= least) continue;
      least = spread;
      seeds.row(c) = points.row(pick);
      best = std::move(reached);
    }
    nearest = std::move(best);
    chances = masses.cwiseProduct(nearest);
  }
  return seeds;
}

Clusters best_of(int starts, const Matrix& points, const Vector& masses, Index count,
                 Stream& stream, int steps) {
  SelfCommunicator self;
  Clusters best{.centers = {}, .masses = {}, .spread = std::numeric_limits<double>::infinity()};
  for (int start = 0; start < starts; ++start) {
    Clusters found =
        settle_centers(points, masses, choose_seeds(points, masses, count, stream), steps, self);
    if (found.spread < best.spread) best = std::move(found);
  }
  return best;
}

}  // namespace

Matrix stacked(const std::vector<Matrix>& parts) {
  Index rows = 0;
  for (const Matrix& each : parts) rows += each.rows();
  Matrix out(rows, parts.front().cols());
  rows = 0;
  for (const Matrix& each : parts) {
    out.middleRows(rows, each.rows()) = each;
    rows += each.rows();
  }
  return out;
}

Clusters without_empty(Clusters clusters) {
  Index kept = 0;
  for (Index c = 0; c < clusters.centers.rows(); ++c) {
    if (!(clusters.masses(c) > 0)) continue;
    clusters.centers.row(kept) = clusters.centers.row(c).eval();
    clusters.masses(kept) = clusters.masses(c);
    if (!clusters.labels.empty()) clusters.labels[kept] = clusters.labels[c];
    ++kept;
  }
  clusters.centers.conservativeResize(kept, Eigen::NoChange);
  clusters.masses.conservativeResize(kept);
  if (!clusters.labels.empty()) clusters.labels.resize(static_cast<std::size_t>(kept));
  return clusters;
}

Clusters settle_centers(const Matrix& points, const Vector& masses, Matrix centers, int steps,
                        Communicator& comm) {
  const Index count = centers.rows();
  const Index dim = centers.cols();
  Clusters out{.centers = std::move(centers), .masses = Vector::Zero(count)};
  double before = std::numeric_limits<double>::infinity();
  for (int step = 0; step <= steps; ++step) {
    // Sums of the coordinates, mass and squared distances of each cluster.
    Matrix sums = Matrix::Zero(count, dim + 2);
    for_each_nearest(points, out.centers, [&](Index i, Index c, double squared) {
      sums.row(c).head(dim) += masses(i) * points.row(i);
      sums(c, dim) += masses(i);
      sums(c, dim + 1) += masses(i) * squared;
    });
    comm.sum(std::span(sums.data(), static_cast<std::size_t>(sums.size())));
    out.masses = sums.col(dim);
    out.spread = sums.col(dim + 1).sum() / std::max(out.masses.sum(), 1e-300);
    // The masses of the last step belong to the centers that stay.
    if (step == steps || out.spread >= before) break;
    before = out.spread;
    for (Index c = 0; c < count; ++c) {
      if (sums(c, dim) > 0) out.centers.row(c) = sums.row(c).head(dim) / sums(c, dim);
    }
  }
  return out;
}

Clusters gathered(const Clusters& mine, Communicator& comm) {
  const Index dim = mine.centers.cols();
  std::vector<double> numbers;
  for (Index c = 0; c < mine.centers.rows(); ++c) {
    numbers.insert(numbers.end(), mine.centers.row(c).begin(), mine.centers.row(c).end());
    numbers.push_back(mine.masses(c));
    numbers.push_back(mine.labels.empty() ? -1.0 : static_cast<double>(mine.labels[c]));
  }
  const std::vector<double> all = comm.gather(numbers);
  if (all.empty()) return {.centers = Matrix(0, dim), .masses = Vector(0)};
  const Matrix both =
      Eigen::Map<const Matrix>(all.data(), static_cast<Index>(all.size()) / (dim + 2), dim + 2);
  Clusters out{.centers = both.leftCols(dim), .masses = both.col(dim)};
  for (const double label : both.col(dim + 1)) out.labels.push_back(static_cast<Index>(label));
  return out;
}

Clusters k_means(const Matrix& points, const Vector& masses, Index count, int starts, Stream stream,
                 Communicator& comm, int steps) {
  if (comm.size() == 1) {
    const Index most = std::min(count, points.rows());
    if (most == 0) return {.centers = Matrix(0, points.cols()), .masses = Vector(0)};
    return without_empty(best_of(starts, points, masses, most, stream, steps));
  }
  Clusters sent{.centers = Matrix(0, points.cols()), .masses = Vector(0)};
  if (points.rows() > 0) {
    sent = without_empty(best_of(starts, points, masses,
                                 std::min(kSentPerCluster * count, points.rows()), stream, steps));
  }
  const Clusters all = gathered(sent, comm);
  const Index most = std::min(count, all.centers.rows());
  if (most == 0) return {.centers = Matrix(0, points.cols()), .masses = Vector(0)};
  // Not `stream`, of which the processes have drawn different numbers.
  Stream shared(0, Purpose::kMatching, static_cast<std::uint64_t>(count));
  Matrix seeds = best_of(starts, all.centers, all.masses, most, shared, steps).centers;
  return without_empty(settle_centers(points, masses, std::move(seeds), steps, comm));
}

std::vector<Index> nearest_centers(const Matrix& points, const Matrix& centers) {
  std::vector<Index> out(static_cast<std::size_t>(points.rows()));
  for_each_nearest(points, centers, [&](Index i, Index c, double) { out[i] = c; });
  return out;
}

}  // namespace conflux

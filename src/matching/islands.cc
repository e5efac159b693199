#include "matching/islands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include "matching/k_means.h"
#include "matching/valley.h"

namespace conflux {

namespace {

constexpr Index kMostIslandRows = 2000;  // more show no more
constexpr Index kIslandSplits = 5;
constexpr Index kRowsPerPiece = 12;
constexpr Index kFewestPieces = 4;
constexpr Index kMostPieces = 15;
constexpr int kPieceStarts = 2;
// Centers of a fold begin at those of all rows, so that clusters keep their names.
constexpr int kStepsOfFold = 5;
// Half the width, relative to the distance of two centers, of the slabs in which rows are counted.
constexpr double kSlab = 0.15;
// Two neighbors hang together when the slab halfway between them has two rows, and this part of
// what the emptier slab around a center has.
constexpr double kLinked = 0.5;
constexpr double kErrorRate = 0.002;
constexpr double kLeastIsland = 0.05;

using Part = std::vector<Index>;  // clusters

std::span<double> entries_of(Matrix& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}

/// Rows of cluster a (rows of the tables) in the slab around its center, seen along the line to b
/// (columns), and halfway.
struct SlabCounts {
  Matrix around;
  Matrix halfway;

  bool links(Index a, Index b) const {
    const double between = halfway(a, b) + halfway(b, a);
    return between >= 2 && between >= kLinked * std::min(around(a, b), around(b, a));
  }
};

/// One split of the rows into folds.
class RowSplit {
 public:
  RowSplit(const Matrix& points, double all_rows, Stream stream, Communicator& comm)
      : points_(points), comm_(comm) {
    const std::vector<Index> order = stream.permutation(points.rows());
    for (const Index place : order) fold_.push_back(place % kValleyFolds);
    const auto count =
        std::clamp(static_cast<Index>(all_rows) / kRowsPerPiece, kFewestPieces, kMostPieces);
    centers_ =
        k_means(points, Vector::Ones(points.rows()), count, kPieceStarts, stream, comm).centers;
    find_folds();
    count_slabs();
  }

  Index count() {
    std::vector<Part> parts;
    for (Index c = 0; c < centers_.rows(); ++c) {
      if (masses_(c) > 0) parts.push_back({c});
    }
    while (join_nearest(parts)) {
    }
    return std::count_if(parts.begin(), parts.end(), [&](const Part& part) {
      return mass_of(part) >= kLeastIsland * masses_.sum();
    });
  }

 private:
  // For every fold the centers that the other rows settle at, and what those rows sum up to.
  void find_folds() {
    const Index clusters = centers_.rows();
    own_.resize(fold_.size());
    masses_ = Vector::Zero(clusters);
    for (Index f = 0; f < kValleyFolds; ++f) {
      Vector others(points_.rows());
      for (Index i = 0; i < others.size(); ++i) others(i) = fold_[i] == f ? 0 : 1;
      Matrix& centers = fold_centers_.emplace_back(
          settle_centers(points_, others, centers_, kStepsOfFold, comm_).centers);
      Matrix& sums = sums_.emplace_back(Matrix::Zero(clusters, points_.cols() + 1));
      const std::vector<Index> nearest = nearest_centers(points_, centers);
      for (Index i = 0; i < points_.rows(); ++i) {
        if (fold_[i] == f) {
          own_[i] = nearest[i];
          masses_(nearest[i]) += 1;
        } else {
          sums.row(nearest[i]).head(points_.cols()) += points_.row(i);
          sums(nearest[i], points_.cols()) += 1;
        }
      }
      comm_.sum(entries_of(sums));
    }
    comm_.sum(std::span(masses_.data(), static_cast<std::size_t>(masses_.size())));
  }

  // By the centers of a row's fold, and by those of all rows: where a curve bends, folds differ.
  void count_slabs() {
    const std::vector<Index> nearest = nearest_centers(points_, centers_);
    for (SlabCounts& counts : slabs_) {
      counts.around = counts.halfway = Matrix::Zero(centers_.rows(), centers_.rows());
    }
    for (Index i = 0; i < points_.rows(); ++i) {
      add_to_slabs(slabs_[0], points_.row(i), own_[i], fold_centers_[fold_[i]]);
      add_to_slabs(slabs_[1], points_.row(i), nearest[i], centers_);
    }
    for (SlabCounts& counts : slabs_) {
      comm_.sum(entries_of(counts.around));
      comm_.sum(entries_of(counts.halfway));
    }
  }

  static void add_to_slabs(SlabCounts& counts, const Eigen::Ref<const Eigen::RowVectorXd>& point,
                           Index a, const Matrix& centers) {
    for (Index b = 0; b < centers.rows(); ++b) {
      const Eigen::RowVectorXd line = centers.row(b) - centers.row(a);
      const double length = line.squaredNorm();
      if (a == b || !(length > 0)) continue;
      const double at = (point - centers.row(a)).dot(line) / length;
      if (std::abs(at) < kSlab) counts.around(a, b) += 1;
      if (std::abs(at - 0.5) < kSlab) counts.halfway(a, b) += 1;
    }
  }

  // No third center is nearer to the middle.
  bool neighbors(Index a, Index b) const {
    const Eigen::RowVectorXd middle = 0.5 * (centers_.row(a) + centers_.row(b));
    const double nearest = (centers_.rowwise() - middle).rowwise().squaredNorm().minCoeff();
    return nearest >= (1 - 1e-9) * 0.25 * (centers_.row(a) - centers_.row(b)).squaredNorm();
  }

  bool apart(const Part& x, const Part& y) {
    bool touch = false;
    for (const Index a : x) {
      for (const Index b : y) {
        if (!neighbors(a, b)) continue;
        touch = true;
        if (slabs_[0].links(a, b) || slabs_[1].links(a, b)) return false;
      }
    }
    return !touch || valley_between(x, y) <= kErrorRate;
  }

  double valley_between(const Part& x, const Part& y) {
    const Index dim = points_.cols();
    std::vector<int> side(static_cast<std::size_t>(centers_.rows()), 0);
    for (const Index a : x) side[a] = 1;
    for (const Index b : y) side[b] = 1;
    Valley valley;
    std::vector<Eigen::RowVectorXd> from, line;
    for (const Matrix& sums : sums_) {
      const auto mean = [&](const Part& part) {
        Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(dim + 1);
        for (const Index c : part) sum += sums.row(c);
        return Eigen::RowVectorXd(sum.head(dim) / std::max(1.0, sum(dim)));
      };
      from.push_back(mean(x));
      line.emplace_back(mean(y) - from.back());
      const double length = line.back().squaredNorm();
      if (!(length > 0)) return 1;
      line.back() /= length;
    }
    for (Index i = 0; i < points_.rows(); ++i) {
      if (side[own_[i]] == 0) continue;
      for (Index f = 0; f < kValleyFolds; ++f) {
        valley.add(f, (points_.row(i) - from[f]).dot(line[f]), fold_[i] == f);
      }
    }
    return valley.chance(comm_);
  }

  double mass_of(const Part& part) const {
    double out = 0;
    for (const Index c : part) out += masses_(c);
    return out;
  }

  // Increase of the sum of squares around the means if two parts are joined (Ward).
  double cost_of(const Part& x, const Part& y) const {
    const auto mean = [&](const Part& part) {
      Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(centers_.cols());
      for (const Index c : part) sum += masses_(c) * centers_.row(c);
      return Eigen::RowVectorXd(sum / mass_of(part));
    };
    const double a = mass_of(x), b = mass_of(y);
    return a * b / (a + b) * (mean(x) - mean(y)).squaredNorm();
  }

  // Joins the two nearest parts whose separation is not proved; false if there are none.
  bool join_nearest(std::vector<Part>& parts) {
    std::vector<std::tuple<double, std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) pairs.emplace_back(cost_of(parts[i], parts[j]), i, j);
    }
    std::sort(pairs.begin(), pairs.end());
    for (const auto& [cost, i, j] : pairs) {
      if (apart(parts[j], parts[i])) continue;
      parts[j].insert(parts[j].end(), parts[i].begin(), parts[i].end());
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    return false;
  }

  const Matrix& points_;
  Communicator& comm_;
  std::vector<Index> fold_;  // of each row
  std::vector<Index> own_;   // cluster of each row, by centers that have not seen it
  Matrix centers_;
  std::vector<Matrix> fold_centers_;
  std::vector<Matrix> sums_;  // of each fold's other rows, by cluster; the last column counts them
  Vector masses_;             // rows of each cluster
  std::array<SlabCounts, 2> slabs_;
};

Matrix some_of(const Matrix& points, double all_rows) {
  const double share = static_cast<double>(kMostIslandRows) / all_rows;
  if (share >= 1) return points;
  const auto kept = static_cast<Index>(std::ceil(share * static_cast<double>(points.rows())));
  Matrix out(kept, points.cols());
  for (Index i = 0; i < kept; ++i) out.row(i) = points.row(i * points.rows() / kept);
  return out;
}

}  // namespace

Index count_islands(const Matrix& points, std::uint64_t seed, std::uint64_t which,
                    Communicator& comm) {
  const double all_rows = comm.sum(static_cast<double>(points.rows()));
  if (all_rows < static_cast<double>(kFewestPieces * kRowsPerPiece) / 2) return 1;
  const Matrix some = some_of(points, all_rows);
  std::vector<Index> counts;
  for (Index split = 0; split < kIslandSplits; ++split) {
    Stream stream(seed, Purpose::kIslands, which << 32 | static_cast<std::uint64_t>(split),
                  static_cast<std::uint64_t>(comm.rank()));
    counts.push_back(
        RowSplit(some, std::min(all_rows, static_cast<double>(kMostIslandRows)), stream, comm)
            .count());
  }
  std::sort(counts.begin(), counts.end());
  return std::max<Index>(1, counts[counts.size() / 2]);
}

}  // namespace conflux

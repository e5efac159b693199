#include "metrics/nearest_neighbors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "conflux/core/error.h"
#include "kernels/product.h"
#include "metrics/clouds_internal.h"

namespace conflux {

namespace {

// Rows that one task finds the neighbors of, and rows that it compares them with at a time.
constexpr Index kBlock = 64;
constexpr Index kTile = 512;
// Products cancel for close rows: more candidates than neighbors make up for a wrong order.
constexpr Index kSpare = 16;

struct Candidate {
  double square;
  Index row;

  bool operator<(const Candidate& other) const {
    return square < other.square || (square == other.square && row < other.row);
  }
};

// The best candidates so far, unordered, with room for as many again before a cut.
class Shortlist {
 public:
  explicit Shortlist(Index capacity) : capacity_(static_cast<std::size_t>(capacity)) {}

  void offer(double square, Index row) {
    if (square > limit_) return;
    list_.push_back({square, row});
    if (list_.size() >= 2 * capacity_) cut();
  }

  std::vector<Candidate>& cut() {
    if (list_.size() > capacity_) {
      const auto last = list_.begin() + static_cast<std::ptrdiff_t>(capacity_) - 1;
      std::nth_element(list_.begin(), last, list_.end());
      limit_ = last->square;
      list_.resize(capacity_);
    }
    return list_;
  }

 private:
  std::size_t capacity_;
  double limit_ = std::numeric_limits<double>::infinity();
  std::vector<Candidate> list_;
};

}  // namespace

Neighbors nearest_neighbors(ConstRows rows, Index count, const Workers& workers) {
  check_clouds(rows, rows);
  const Index n = rows.rows();
  const Index dim = rows.cols();
  if (count < 1 || count >= n) {
    throw InvalidOption(fmt::format(
        "{} neighbors are asked for among {} rows; choose from 1 to {}.", count, n, n - 1));
  }
  const Eigen::RowVectorXd center = rows.eigen().colwise().mean();
  const Matrix centered = rows.eigen().rowwise() - center;
  const Vector norms = centered.rowwise().squaredNorm();
  Neighbors out{MatrixOf<Index>(n, count), Matrix(n, count)};
  workers.for_each_block(n, kBlock, [&](Index begin, Index end) {
    std::vector<double> columns(static_cast<std::size_t>(dim * kBlock), 0.0);
    for (Index j = begin; j < end; ++j) {
      for (Index f = 0; f < dim; ++f) columns[f * kBlock + j - begin] = centered(j, f);
    }
    std::vector<double> products(static_cast<std::size_t>(kTile * kBlock));
    std::vector<Shortlist> lists(static_cast<std::size_t>(end - begin), Shortlist(count + kSpare));
    for (Index tile = 0; tile < n; tile += kTile) {
      const Index tile_end = std::min(n, tile + kTile);
      kernels::project(centered.data() + tile * dim, dim, tile_end - tile, dim, columns.data(),
                       kBlock, products.data());
      for (Index i = tile; i < tile_end; ++i) {
        const double* line = products.data() + (i - tile) * kBlock;
        for (Index j = begin; j < end; ++j) {
          if (i != j) lists[j - begin].offer(norms(i) + norms(j) - 2 * line[j - begin], i);
        }
      }
    }
    for (Index j = begin; j < end; ++j) {
      std::vector<Candidate>& list = lists[j - begin].cut();
      for (Candidate& each : list) {
        each.square = (rows.eigen().row(each.row) - rows.eigen().row(j)).squaredNorm();
      }
      std::sort(list.begin(), list.end());
      for (Index k = 0; k < count; ++k) {
        out.rows(j, k) = list[static_cast<std::size_t>(k)].row;
        out.distances(j, k) = std::sqrt(list[static_cast<std::size_t>(k)].square);
      }
    }
  });
  return out;
}

}  // namespace conflux

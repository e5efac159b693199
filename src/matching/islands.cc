#include "matching/islands.h"

#include <cmath>
#include <numeric>

namespace conflux {

namespace {

// Half the width, relative to the distance of two centres, of the slabs in which rows are counted.
constexpr double kSlab = 0.15;
// Clusters lie apart when the slab halfway between them has fewer rows than this part of the
// emptier slab around a centre. Pieces that k-means cuts from one Gaussian cloud of 20 dimensions
// have 0.3 and more; 0.25 is what two Gaussians 3.7 deviations apart have.
constexpr double kEmpty = 0.25;

}  // namespace

std::vector<Index> find_islands(const Matrix& points, const std::vector<Index>& cluster_of,
                                const Clusters& clusters, Communicator& comm) {
  const Matrix& centres = clusters.centres;
  const Index count = centres.rows();
  const auto place = [&](Index a, Index b) { return a * count + b; };
  // around(a, b): rows of a in the slab around its centre, seen along the line from a to b;
  // between(a, b): rows of a in the slab halfway.
  Matrix counts = Matrix::Zero(2, count * count);
  for (Index i = 0; i < points.rows(); ++i) {
    const Index a = cluster_of[i];
    for (Index b = 0; b < count; ++b) {
      if (a == b) continue;
      const Eigen::RowVectorXd line = centres.row(b) - centres.row(a);
      const double at = (points.row(i) - centres.row(a)).dot(line) / line.squaredNorm();
      if (std::abs(at) < kSlab) counts(0, place(a, b)) += 1;
      if (std::abs(at - 0.5) < kSlab) counts(1, place(a, b)) += 1;
    }
  }
  comm.sum(std::span(counts.data(), static_cast<std::size_t>(counts.size())));
  std::vector<Index> island(static_cast<std::size_t>(count));
  std::iota(island.begin(), island.end(), Index{0});
  for (Index a = 0; a < count; ++a) {
    for (Index b = a + 1; b < count; ++b) {
      const double around = std::min(counts(0, place(a, b)), counts(0, place(b, a)));
      const double between = counts(1, place(a, b)) + counts(1, place(b, a));
      // One row more on both sides: a few rows prove no gap.
      if (between + 1 < kEmpty * (around + 1)) continue;
      const Index from = island[b];
      for (Index& each : island) {
        if (each == from) each = island[a];
      }
    }
  }
  return island;
}

}  // namespace conflux

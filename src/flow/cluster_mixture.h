// Mixtures of increasing maps of a line: every point has shares in some clusters, every cluster has
// a map, and the point goes to the mean of its images. Such a mixture increases, too.
//
// Cost: forward, a search among the knots of each map in which a point has a share; back, about
// twice as much.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conflux/core/matrix.h"
#include "univariate/piecewise_linear_map.h"

namespace conflux {

class ClusterMixture {
 public:
  /// Row i of `shares`, of sum 1 over its first `clusters` columns, belongs to point i.
  void share_out(const Matrix& shares, Index clusters);

  /// Moves the points of a line; the map of cluster c is maps[c * step]. Adds the logarithms of the
  /// slopes to `log_slopes` unless that is null.
  void forward(const PiecewiseLinearMap* maps, Index step, std::span<double> line,
               double* log_slopes);
  /// The other way.
  void inverse(const PiecewiseLinearMap* maps, Index step, std::span<double> line,
               double* log_slopes);

 private:
  struct Place;
  /// The straight pieces that the maps of a point have around its preimages.
  struct Lines {
    double way = 0;  // from the point to where they take it, by shares
    double slope = 0;
    double left = 0;
    double right = 0;
  };
  template <bool kWithSlopes>
  void mix(const PiecewiseLinearMap* maps, Index step, std::span<const double> line);
  void solve_lines(const PiecewiseLinearMap* maps, Index step, std::span<const double> images);
  template <class Use>
  void for_each_cluster(Index row, const Use& use) const;
  Place place_of(const PiecewiseLinearMap* maps, Index step, Index row, double at);
  Place solve(const PiecewiseLinearMap* maps, Index step, Index row, double image, double start);

  const Matrix* shares_ = nullptr;
  // Points with a share in cluster c, and those shares: from begin_[c] on.
  std::vector<Index> rows_;
  std::vector<double> parts_;
  std::vector<std::size_t> begin_;
  // By point.
  std::vector<double> image_;
  std::vector<double> slope_;
  std::vector<Lines> lines_;
  // By point and cluster, on the way back: knots at or below where the point was last looked for.
  std::vector<std::uint32_t> segments_;
};

}  // namespace conflux

// Increasing maps of the line with continuous slopes: rational quadratic splines.
//
// The spline runs from images back to points, as sliced iterative flows fit it: inverse() evaluates
// a quotient of two quadratics, forward() solves a quadratic equation. Knots and slopes at the
// knots say everything; positive slopes make every piece increase. Beyond the outer knots the map
// is straight with the slopes there. Every real number has exactly one image and one preimage.
//
// Cost: O(log knots) per point, one square root for forward(). Const calls are thread-safe.

#pragma once

#include <span>
#include <vector>

#include "conflux/core/index.h"

namespace conflux {

class RationalQuadraticMap {
 public:
  /// The identity.
  RationalQuadraticMap() = default;

  /// Strictly increasing `from` and `to`; `slopes` are those of the point by the image, positive,
  /// one per knot.
  RationalQuadraticMap(std::vector<double> from, std::vector<double> to,
                       std::vector<double> slopes);

  /// Replaces each value by its image; adds the logarithm of the slope there to `log_slopes` unless
  /// that is null.
  void forward(std::span<double> values, double* log_slopes) const;
  /// The other way; adds the logarithm of the slope of the inverse map.
  void inverse(std::span<double> values, double* log_slopes) const;

  /// Moves its knots by this fraction of their way, from above 0 to below 1, with the slopes that
  /// belong to it.
  RationalQuadraticMap part(double amount) const;

  const std::vector<double>& from() const { return from_; }
  const std::vector<double>& to() const { return to_; }
  const std::vector<double>& slopes() const { return slopes_; }

 private:
  struct Point {
    double value;
    double slope;
  };
  Point piece_at(std::size_t k, double share) const;
  double share_of(std::size_t k, double above) const;

  std::vector<double> from_;
  std::vector<double> to_;
  std::vector<double> slopes_;
};

}  // namespace conflux

// Increasing maps of the line, kept as knots.
//
// Between knots the map is a straight segment, beyond the outer knots it moves every point by as
// much as the outer knot. Every real number therefore has exactly one image and one preimage, and
// no point is moved further than the knot that is moved furthest.
//
// Cost: O(log knots) per point. Const calls are thread-safe.

#pragma once

#include <span>
#include <vector>

#include "conflux/core/index.h"

namespace conflux {

class PiecewiseLinearMap {
 public:
  /// The identity.
  PiecewiseLinearMap() = default;

  /// Strictly increasing `from` and `to` of the same length.
  PiecewiseLinearMap(std::vector<double> from, std::vector<double> to);

  /// Replaces each value by its image; adds the logarithm of the slope there to `log_slopes` unless
  /// that is null.
  void forward(std::span<double> values, double* log_slopes) const;
  /// The other way; adds the logarithm of the slope of the inverse map.
  void inverse(std::span<double> values, double* log_slopes) const;

  /// Moves every value by this fraction of its way, from above 0 to below 1.
  PiecewiseLinearMap part(double amount) const;

  const std::vector<double>& from() const { return from_; }
  const std::vector<double>& to() const { return to_; }

  /// The image of a value with so many knots at or below it, the preimage of a value with so many
  /// images of knots at or below it, and the slope there. There must be a knot.
  double image(double at, std::size_t knots) const {
    if (knots == 0) return at + (to_.front() - from_.front());
    return to_[knots - 1] + slope_[knots - 1] * (at - from_[knots - 1]);
  }
  double preimage(double at, std::size_t knots) const {
    if (knots == 0) return at + (from_.front() - to_.front());
    return from_[knots - 1] + (at - to_[knots - 1]) / slope_[knots - 1];
  }
  double slope(std::size_t knots) const { return knots == 0 ? 1 : slope_[knots - 1]; }

 private:
  std::vector<double> from_;
  std::vector<double> to_;
  // Slope of the segment that begins at each knot; the last entry belongs to the tail.
  std::vector<double> slope_;
  std::vector<double> log_slope_;
};

}  // namespace conflux

// Two ways from a frame X along a matrix G of its size to another frame.
//
// Both results lie in the span of X and of G, so they are given as two K x K matrices: the new
// frame is X a + Q b, where Q holds columns of length 1 beside X. Whatever is linear in the frame,
// such as projections of data, can therefore be had at the new frame from its values at X and Q,
// without touching the data, and without losing digits however large or nearly dependent the
// columns of G are.

#pragma once

#include <optional>

#include "stiefel/frame.h"

namespace conflux {

/// Required property of the columns of Q. Cayley curves need unit columns only; polar steps need
/// orthonormal ones, which takes a decomposition on one core.
enum class Beside { kUnit, kOrthonormal };

/// G in coordinates: G = X along + Q beside.
struct Direction {
  Direction(const Frame& frame, const Matrix& g, Beside columns);

  /// Q. The columns that G needs are orthogonal to X.
  Matrix basis;
  Matrix along;
  Matrix beside;
  /// Inner products of the columns of Q beside.
  Matrix gram;
};

/// The frame X a + Q b.
struct SpanStep {
  Matrix a;
  Matrix b;

  Frame apply(const Frame& frame, const Matrix& basis) const;
};

/// The Cayley curve Y(t) = (I - t/2 W)^-1 (I + t/2 W) X with W = G X^T - X G^T, which leaves X in
/// the direction of the tangent part of G. Each point costs one linear system of K unknowns.
class CayleyCurve {
 public:
  explicit CayleyCurve(const Direction& direction);

  SpanStep at(double t) const;
  /// Inner product of G with the initial velocity: the slope at 0 of a function with gradient G.
  double slope() const { return slope_; }
  /// Length of the initial velocity; no entry of Y(t) - X is larger than t times this.
  double speed() const { return speed_; }
  /// Whether the tangent part of G is nothing but rounding.
  bool stationary() const { return stationary_; }

 private:
  Matrix skew_;    // X^T G - G^T X
  Matrix beside_;  // coordinates r of the part of G beside X
  Matrix gram_;    // its inner products
  double slope_;
  double speed_;
  bool stationary_;
};

/// The frame nearest to G, its polar factor G (G^T G)^-1/2; nothing if G has (nearly) dependent
/// columns. Takes orthonormal columns beside the frame.
std::optional<SpanStep> polar_step(const Direction& direction);

}  // namespace conflux

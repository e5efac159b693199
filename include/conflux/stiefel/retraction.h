// Two ways from a frame along a matrix G of its size to another frame.
//
// Both results lie in the span of the frame X and of G, so they are given as two K x K matrices:
// the new frame is X a + G b. Whatever is linear in the frame, such as projections of data, can
// therefore be had at the new frame from its values at X and G, without touching the data.

#pragma once

#include <optional>

#include "conflux/stiefel/frame.h"

namespace conflux {

/// The frame X a + G b.
struct SpanStep {
  Matrix a;
  Matrix b;

  Frame apply(const Frame& frame, const Matrix& g) const;
};

/// The Cayley curve Y(t) = (I - t/2 W)^-1 (I + t/2 W) X with W = G X^T - X G^T, which leaves X in
/// the direction of the tangent part of G. Each point costs one linear system of 2K unknowns.
class CayleyCurve {
 public:
  CayleyCurve(const Frame& frame, const Matrix& g);

  SpanStep at(double t) const;
  /// Inner product of G with the initial velocity: the slope at 0 of a function with gradient G.
  double slope() const { return slope_; }

 private:
  Matrix inner_;  // V^T U of the low-rank form of W
  Matrix right_;  // V^T X
  double slope_;
};

/// The frame nearest to G, its polar factor G (G^T G)^-1/2; nothing if G has (nearly) dependent
/// columns.
std::optional<SpanStep> polar_step(const Matrix& g);

}  // namespace conflux

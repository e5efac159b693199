#include "stiefel/retraction.h"

#include <cmath>
#include <limits>

#include "kernels/dense.h"

namespace conflux {

namespace {

// Below this ratio of singular values of G, the polar factor is mostly noise.
constexpr double kSmallestRatio = 1e-6;
// A tangent part below this fraction of G is rounding.
constexpr double kRounding = 1e-13;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

// The second subtraction removes what rounding of the first has left along X.
Direction::Direction(const Frame& frame, const Matrix& g, Beside columns) {
  const Matrix& x = frame.columns();
  along = x.transpose() * g;
  Matrix rest = g - x * along;
  rest -= x * (x.transpose() * rest);
  if (columns == Beside::kUnit) {
    gram = rest.transpose() * rest;
    const Vector lengths = rest.colwise().norm();
    basis = rest * (lengths.array() > 0).select(lengths.cwiseInverse(), 0).asDiagonal();
    beside = lengths.asDiagonal();
    return;
  }
  // Pivoting puts dependent columns last, where their coordinates are zero.
  basis = kernels::pivoted_qr(rest).basis;
  beside = basis.transpose() * rest;
  gram.noalias() = beside.transpose() * beside;
}

Frame SpanStep::apply(const Frame& frame, const Matrix& basis) const {
  Frame moved(frame.columns() * a + basis * b);
  return moved.drift() > Frame::kDriftLimit ? Frame::orthonormalized(moved.columns()) : moved;
}

// With G = X s + R, R = Q r beside X, the matrix W = X (s - s^T) X^T + R X^T - X R^T maps the span
// of [X, R] into itself. In that basis half of the unknowns drop out, and with A = I - t/2 (s -
// s^T) + t^2/4 R^T R
//
//   Y(t) = X (2 A^-1 - I) + Q t r A^-1.
//
// The symmetric part of A is at least I, so A^-1 is bounded for every t and every rank of G. The
// usual form by the identity of Sherman, Morrison and Woodbury, with U = [G, X], is not.
CayleyCurve::CayleyCurve(const Direction& direction)
    : skew_(direction.along - direction.along.transpose()),
      beside_(direction.beside),
      gram_(direction.gram),
      slope_(beside_.squaredNorm() + 0.5 * skew_.squaredNorm()),
      speed_(std::sqrt(beside_.squaredNorm() + skew_.squaredNorm())),
      stationary_(!(speed_ > kRounding * std::hypot(direction.along.norm(), beside_.norm()))) {}

SpanStep CayleyCurve::at(double t) const {
  const Matrix unit = Matrix::Identity(skew_.rows(), skew_.cols());
  const Matrix system = unit - (0.5 * t) * skew_ + (0.25 * t * t) * gram_;
  // Regular unless it has overflowed; such a step gains nothing, so that the search shortens it.
  const Matrix solved = kernels::inverse(system).value_or(system * kNaN);
  return {2 * solved - unit, t * (beside_ * solved)};
}

std::optional<SpanStep> polar_step(const Direction& direction) {
  const Index k = direction.along.cols();
  Matrix coordinates(2 * k, k);
  coordinates << direction.along, direction.beside;
  const std::optional<Matrix> polar = kernels::polar_factor(coordinates, kSmallestRatio);
  if (!polar) return std::nullopt;
  return SpanStep{polar->topRows(k), polar->bottomRows(k)};
}

}  // namespace conflux

#include "conflux/stiefel/retraction.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace conflux {

namespace {

// Below this ratio of eigenvalues of G^T G, the polar factor is mostly rounding.
constexpr double kSmallestRatio = 1e-12;

}  // namespace

Frame SpanStep::apply(const Frame& frame, const Matrix& g) const {
  Frame moved(frame.columns() * a + g * b);
  return moved.drift() > Frame::kDriftLimit ? Frame::orthonormalized(moved.columns()) : moved;
}

// W = U V^T with U = [G, X], V = [X, -G], both d x 2K; by the identity of Sherman, Morrison and
// Woodbury Y(t) = X + t U (I - t/2 V^T U)^-1 V^T X, where V^T U holds only the K x K products
// S = X^T G and G^T G.
CayleyCurve::CayleyCurve(const Frame& frame, const Matrix& g) {
  const Index k = frame.directions();
  const Matrix s = frame.columns().transpose() * g;
  const Matrix gram = g.transpose() * g;
  const Matrix unit = Matrix::Identity(k, k);
  inner_.resize(2 * k, 2 * k);
  inner_ << s, unit, -gram, -s.transpose();
  right_.resize(2 * k, k);
  right_ << unit, -s.transpose();
  slope_ = gram.trace() - (s * s).trace();
}

SpanStep CayleyCurve::at(double t) const {
  const Index k = right_.cols();
  const Matrix system = Matrix::Identity(2 * k, 2 * k) - (0.5 * t) * inner_;
  const Matrix c = system.partialPivLu().solve(right_);
  return {Matrix::Identity(k, k) + t * c.bottomRows(k), t * c.topRows(k)};
}

std::optional<SpanStep> polar_step(const Matrix& g) {
  const Matrix gram = g.transpose() * g;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(gram);
  if (eigen.info() != Eigen::Success) return std::nullopt;
  const Vector& values = eigen.eigenvalues();
  if (!(values(0) > kSmallestRatio * values(values.size() - 1))) return std::nullopt;
  const Matrix root = eigen.eigenvectors() * values.cwiseSqrt().cwiseInverse().asDiagonal() *
                      eigen.eigenvectors().transpose();
  return SpanStep{Matrix::Zero(gram.rows(), gram.cols()), root};
}

}  // namespace conflux

#include "report/plane.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/dense.h"

namespace conflux {

namespace {

// Fraction of the variance below which moves are rounding errors.
constexpr double kMoved = 1e-9;
// Fraction of the sum of squares below which a direction is rounding.
constexpr double kRounding = 1e-14;

}  // namespace

Plane largest_directions(const Matrix& rows) {
  // With more features than rows, products of rows have the same eigenvalues as products of
  // features, and are fewer.
  const bool wide = rows.rows() < rows.cols();
  Matrix squares = wide ? Matrix(rows * rows.transpose()) : Matrix(rows.transpose() * rows);
  const double all = squares.trace();
  const Vector values = kernels::symmetric_eigen(squares);
  Plane out{.directions = Matrix::Zero(rows.cols(), 2), .share = 0};
  if (values.size() == 0 || !(all > 0)) return out;
  for (Index k = 0; k < std::min<Index>(2, values.size()); ++k) {
    const Index at = values.size() - 1 - k;
    Vector direction = squares.row(at).transpose();
    if (wide) {
      if (!(values(at) > kRounding * all)) break;
      direction = (rows.transpose() * direction).normalized();
    }
    // The sign of an eigenvector is arbitrary; the largest entry shall be positive.
    Index largest = 0;
    direction.cwiseAbs().maxCoeff(&largest);
    if (direction(largest) < 0) direction = -direction;
    out.directions.col(k) = direction;
    out.share += values(at) / all;
  }
  return out;
}

Plane plane_of_moves(const Matrix& before, const Matrix& after, bool& moved) {
  const Matrix moves = after - before;
  const Matrix centered = before.rowwise() - before.colwise().mean().eval();
  moved = moves.squaredNorm() > kMoved * centered.squaredNorm();
  return largest_directions(moved ? moves : centered);
}

std::string direction_name(const std::vector<std::string>& features, const Vector& direction) {
  std::vector<Index> order(static_cast<std::size_t>(direction.size()));
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = static_cast<Index>(j);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return std::abs(direction(a)) > std::abs(direction(b));
  });
  std::string out;
  for (std::size_t j = 0; j < std::min<std::size_t>(2, order.size()); ++j) {
    const double weight = direction(order[j]);
    if (std::abs(weight) < 0.2) break;
    out += fmt::format("{}{:.2f} {}",
                       out.empty()  ? ""
                       : weight < 0 ? " − "
                                    : " + ",
                       out.empty() ? weight : std::abs(weight), features[order[j]]);
  }
  return out.empty() ? "many features" : out + (order.size() > 2 ? " …" : "");
}

}  // namespace conflux

// Rows on a plane: the features themselves if there are two, otherwise the two directions along
// which rows move most, or vary most where nothing moves.

#include <fmt/format.h>

#include <algorithm>

#include "kernels/dense.h"
#include "report/facts.h"

namespace conflux {

namespace {

// Below this share of the variance nothing has moved.
constexpr double kMoved = 1e-9;

struct Plane {
  // One direction per column.
  Matrix directions;
  double share = 1;
};

Plane largest_directions(const Matrix& rows) {
  Matrix squares = rows.transpose() * rows;
  const double all = squares.trace();
  const Vector values = kernels::symmetric_eigen(squares);
  Plane out{.directions = Matrix::Zero(rows.cols(), 2), .share = 0};
  if (values.size() == 0 || !(all > 0)) return out;
  for (Index k = 0; k < std::min<Index>(2, rows.cols()); ++k) {
    const Index at = values.size() - 1 - k;
    Vector direction = squares.row(at).transpose();
    // The sign of an eigenvector is arbitrary; the largest entry shall be positive.
    Index largest = 0;
    direction.cwiseAbs().maxCoeff(&largest);
    if (direction(largest) < 0) direction = -direction;
    out.directions.col(k) = direction;
    out.share += values(at) / all;
  }
  return out;
}

// The features that a direction is made of, the heaviest first.
std::string direction_name(const Report& report, const Vector& direction) {
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
                       out.empty() ? weight : std::abs(weight), report.feature_names[order[j]]);
  }
  return out.empty() ? "many features" : out + (order.size() > 2 ? " …" : "");
}

}  // namespace

RowView view_rows(const Report& report, const ReportRows& rows, Index most) {
  const std::vector<Index> chosen = choose_rows(rows, most, report.seed);
  const auto scaled = [&](const Matrix& all) {
    Matrix out(static_cast<Index>(chosen.size()), all.cols());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      out.row(static_cast<Index>(i)) = all.row(chosen[i]);
    }
    return out;
  };
  RowView out;
  out.before = scaled(rows.before.rows);
  out.after = scaled(rows.after);
  for (const Index i : chosen) out.group_of.push_back(rows.before.group_of[i]);
  if (out.before.cols() == 2) {
    out.x_name = report.feature_names[0];
    out.y_name = report.feature_names[1];
    out.share_of = "all features";
    return out;
  }
  // In deviations within groups, so that no unit decides.
  const Matrix before = out.before * rows.factors.asDiagonal();
  const Matrix after = out.after * rows.factors.asDiagonal();
  const Matrix moves = after - before;
  Matrix centred = before.rowwise() - before.colwise().mean().eval();
  const bool moved = moves.squaredNorm() > kMoved * centred.squaredNorm();
  const Plane plane = largest_directions(moved ? moves : centred);
  out.share = plane.share;
  out.share_of = moved ? "the squared moves" : "the variance";
  out.x_name = direction_name(report, plane.directions.col(0));
  out.y_name = direction_name(report, plane.directions.col(1));
  const Eigen::RowVectorXd middle = before.colwise().mean();
  out.before = (before.rowwise() - middle) * plane.directions;
  out.after = (after.rowwise() - middle) * plane.directions;
  return out;
}

}  // namespace conflux

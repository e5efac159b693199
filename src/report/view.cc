// Rows on a plane: the features themselves if there are two, otherwise the two directions along
// which rows move most, or vary most where nothing moves.

#include "report/facts.h"
#include "report/plane.h"

namespace conflux {

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
  bool moved = false;
  const Plane plane = plane_of_moves(before, after, moved);
  out.share = plane.share;
  out.share_of = moved ? "the squared moves" : "the variance";
  out.x_name = direction_name(report.feature_names, plane.directions.col(0));
  out.y_name = direction_name(report.feature_names, plane.directions.col(1));
  const Eigen::RowVectorXd middle = before.colwise().mean();
  out.before = (before.rowwise() - middle) * plane.directions;
  out.after = (after.rowwise() - middle) * plane.directions;
  return out;
}

}  // namespace conflux

// Rows on a plane, and a grid that shows where a plane goes.

#include <algorithm>

#include "report/facts.h"

namespace conflux {

namespace {

constexpr Index kFramesOnAPage = 8;
constexpr Index kGroupsWithGrids = 6;
constexpr Index kLinesOfAGrid = 9;
constexpr Index kStepsOfALine = 32;

// Where all but one in a hundred values lie.
std::pair<double, double> range_of(const Matrix& rows, Index feature) {
  std::vector<double> values(rows.col(feature).begin(), rows.col(feature).end());
  std::sort(values.begin(), values.end());
  const std::size_t cut = values.size() / 200;
  return {values[cut], values[values.size() - 1 - cut]};
}

// Lines along one feature, at equal steps of the other.
void add_lines(const Matrix& rows, Index along, std::vector<Matrix>& out) {
  const auto [from, to] = range_of(rows, along);
  const auto [low, high] = range_of(rows, 1 - along);
  for (Index k = 0; k < kLinesOfAGrid; ++k) {
    Matrix line(kStepsOfALine + 1, 2);
    for (Index i = 0; i <= kStepsOfALine; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(kStepsOfALine);
      const double across = static_cast<double>(k) / static_cast<double>(kLinesOfAGrid - 1);
      line(i, along) = from + part * (to - from);
      line(i, 1 - along) = low + across * (high - low);
    }
    out.push_back(std::move(line));
  }
}

}  // namespace

RowView view_rows(const RowPaths& paths, const Flow& flow) {
  PathFrames frames = paths.key_frames(flow, kFramesOnAPage);
  // Features themselves have places of their own.
  if (paths.feature_names().size() != 2) {
    const Eigen::RowVectorXd middle = frames.places.front().colwise().mean();
    for (Matrix& each : frames.places) each.rowwise() -= middle;
  }
  return {.x_name = std::move(frames.x_name),
          .y_name = std::move(frames.y_name),
          .share = frames.share,
          .share_of = std::move(frames.share_of),
          .layers = std::move(frames.layers),
          .places = std::move(frames.places),
          .group_of = paths.rows().group_of};
}

void warp_grids(Report& report, const Flow& flow, const ReportRows& rows, const Workers& workers) {
  if (flow.dim() != 2 || rows.groups() > kGroupsWithGrids || flow.num_layers() == 0) return;
  for (Index m = 0; m < rows.groups(); ++m) {
    if (rows.before.sizes[m] == 0) continue;
    const Matrix group = rows.before.rows.middleRows(rows.begins[m], rows.before.sizes[m]);
    WarpedGrid grid{.group = m};
    for (const Index along : {Index{0}, Index{1}}) add_lines(group, along, grid.before);
    for (Matrix line : grid.before) {
      flow.forward_in_place(rows.in_flow[m], Rows(line), nullptr, workers);
      grid.after.push_back(std::move(line));
    }
    report.grids.push_back(std::move(grid));
  }
}

}  // namespace conflux

// Some rows as every other group.

#include <fmt/format.h>

#include <algorithm>

#include "report/facts.h"

namespace conflux {

namespace {

constexpr std::size_t kFeaturesOfARow = 10;
constexpr std::size_t kGroupsOfARow = 6;
constexpr std::size_t kRowsElsewhere = 4;

double move_of(const ReportRows& rows, Index i) {
  const Eigen::RowVectorXd move = rows.after.row(i) - rows.before.rows.row(i);
  return move.transpose().cwiseProduct(rows.factors).squaredNorm();
}

// The row of a group that moved as far as half of its rows did.
Index middle_row(const ReportRows& rows, Index group) {
  std::vector<Index> order;
  for (Index i = 0; i < rows.before.sizes[group]; ++i) order.push_back(rows.begins[group] + i);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return move_of(rows, a) < move_of(rows, b); });
  return order[order.size() / 2];
}

}  // namespace

void show_rows_elsewhere(Report& report, const Model& model, const ReportRows& rows,
                         const Workers& workers) {
  report.elsewhere_features = report.worst_features;
  if (report.elsewhere_features.size() > kFeaturesOfARow) {
    report.elsewhere_features.resize(kFeaturesOfARow);
  }
  for (Index m = 0; m < rows.groups() && report.elsewhere_groups.size() < kGroupsOfARow; ++m) {
    if (rows.before.sizes[m] > 0) report.elsewhere_groups.push_back(m);
  }
  for (const Index own : report.elsewhere_groups) {
    if (report.elsewhere.size() == kRowsElsewhere) break;
    const Index row = middle_row(rows, own);
    RowElsewhere shown;
    shown.group = own;
    shown.name =
        fmt::format("row {} of {}", rows.before.position_of[row] + 1, report.group_names[own]);
    shown.values.resize(report.elsewhere_features.size());
    for (const Index other : report.elsewhere_groups) {
      const Matrix alone = rows.before.rows.row(row);
      const Matrix as_other =
          model.flow.translate(rows.in_flow[own], rows.in_flow[other], SampleRows(alone), workers);
      for (std::size_t j = 0; j < shown.values.size(); ++j) {
        const Index feature = report.elsewhere_features[j];
        shown.values[j].push_back(
            value_text(model, feature, other == own ? alone(0, feature) : as_other(0, feature), 6,
                       other == own ? -1 : rows.in_flow[other]));
      }
    }
    report.elsewhere.push_back(std::move(shown));
  }
}

}  // namespace conflux

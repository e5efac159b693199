// Some rows as every other group.

#include <fmt/format.h>

#include <algorithm>

#include "report/facts.h"

namespace conflux {

namespace {

constexpr std::size_t kFeaturesOfARow = 10;
constexpr std::size_t kGroupsOfARow = 6;
constexpr std::size_t kRowsElsewhere = 4;

// The row of a group that moved as far on the plane as half of its rows did.
Index middle_row(const RowView& view, Index group) {
  std::vector<Index> order;
  for (Index i = 0; i < view.before().rows(); ++i) {
    if (view.group_of[i] == group) order.push_back(i);
  }
  const auto move = [&](Index i) {
    return (view.after().row(i) - view.before().row(i)).squaredNorm();
  };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return move(a) < move(b); });
  return order[order.size() / 2];
}

// A row of one group as another: values of all features.
void add_as_group(const Report& report, const Model& model, const Matrix& place, Index group,
                  RowElsewhere& out) {
  for (std::size_t j = 0; j < out.values.size(); ++j) {
    const Index feature = report.elsewhere_features[j];
    out.values[j].push_back(value_text(model, feature, place(0, feature), 4, group));
  }
  if (!report.pixels) return;
  std::vector<double>& pixels = out.pixels.emplace_back();
  for (Index j = 0; j < place.cols(); ++j) {
    pixels.push_back(value_of(model, j, place(0, j), group));
  }
}

}  // namespace

void show_rows_elsewhere(Report& report, const Model& model, const RowPaths& paths) {
  report.pixels = find_pixels(report.feature_names);
  report.elsewhere_features = report.worst_features;
  if (report.elsewhere_features.size() > kFeaturesOfARow) {
    report.elsewhere_features.resize(kFeaturesOfARow);
  }
  const JudgedRows& rows = paths.rows();
  std::vector<Index> in_flow;
  for (std::size_t m = 0; m < rows.sizes.size() && in_flow.size() < kGroupsOfARow; ++m) {
    if (rows.sizes[m] == 0) continue;
    report.elsewhere_groups.push_back(static_cast<Index>(m));
    in_flow.push_back(model.flow.group_index(report.group_names[m]));
  }
  for (std::size_t own = 0; own < in_flow.size() && own < kRowsElsewhere; ++own) {
    RowElsewhere shown;
    shown.group = report.elsewhere_groups[own];
    shown.row = middle_row(*report.view, shown.group);
    shown.name = fmt::format("row {} of {}", rows.position_of[shown.row] + 1,
                             report.group_names[shown.group]);
    shown.values.resize(report.elsewhere_features.size());
    const Matrix alone = rows.rows.row(shown.row);
    for (std::size_t k = 0; k < in_flow.size(); ++k) {
      const Matrix there = k == own ? alone
                                    : model.flow.translate(in_flow[own], in_flow[k],
                                                           SampleRows(alone), paths.workers());
      add_as_group(report, model, there, k == own ? -1 : in_flow[k], shown);
    }
    report.elsewhere.push_back(std::move(shown));
  }
}

}  // namespace conflux

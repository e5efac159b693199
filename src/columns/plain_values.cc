#include "columns/plain_values.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "columns/expectation.h"

namespace conflux {

namespace {

double plain_value(double coordinate, const Feature& from, const Feature& to) {
  if (from.spreads == to.spreads) return coordinate;
  return to.coordinate(from.gathered(from.point(coordinate)));
}

}  // namespace

Columns with_plain_values(const Columns& columns) {
  Columns out = columns;
  for (Feature& feature : out.features) {
    if (feature.category()) continue;
    feature.spreads = false;
    feature.scale = FeatureScale::kNone;
    feature.spread_knots.clear();
    feature.coordinate_knots.clear();
  }
  out.scale_reason.clear();
  return out;
}

void expect_plain_values(Columns& columns, const GroupSet& fitted) {
  std::vector<Matrix> rows;
  for (Index m = 0; m < fitted.num_groups(); ++m) rows.push_back(fitted[m].rows.to_matrix());
  columns.expected = fit_expectations(rows);
  columns.shared = common_expectation(columns.expected);
}

void make_plain(double* row, const Columns& from, const Columns& to) {
  for (std::size_t j = 0; j < from.features.size(); ++j) {
    row[j] = plain_value(row[j], from.features[j], to.features[j]);
  }
}

GroupSet plain_values_of(const GroupSet& groups, const Columns& from, const Columns& to,
                         const std::vector<Index>& features) {
  GroupSet out;
  std::vector<std::vector<Index>> labels;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Group& group = groups[m];
    Matrix rows = group.rows.to_matrix();
    for (Index j = 0; j < rows.cols(); ++j) {
      const auto at = static_cast<std::size_t>(features.empty() ? j : features[j]);
      for (Index i = 0; i < rows.rows(); ++i) {
        rows(i, j) = plain_value(rows(i, j), from.features[at], to.features[at]);
      }
    }
    labels.emplace_back(group.labels.begin(), group.labels.end());
    out.add(group.name, std::move(rows),
            std::vector<double>(group.masses.begin(), group.masses.end()));
  }
  if (!groups.feature_names().empty()) out.set_feature_names(groups.feature_names());
  if (!groups.label_names().empty()) out.set_labels(groups.label_names(), std::move(labels));
  return out;
}

}  // namespace conflux

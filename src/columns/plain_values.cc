#include "columns/plain_values.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "columns/expectation.h"

namespace conflux {

Columns with_plain_values(const Columns& columns, Plain which) {
  Columns out = columns;
  for (Feature& feature : out.features) {
    if (feature.category() || (which == Plain::kUntied && !feature.atoms.empty())) continue;
    feature.spreads = false;
    feature.scale = FeatureScale::kNone;
    feature.spread_knots.clear();
    feature.coordinate_knots.clear();
  }
  out.scale_reason.clear();
  return out;
}

bool has_ties(const Columns& columns) {
  return std::any_of(columns.features.begin(), columns.features.end(),
                     [](const Feature& each) { return !each.category() && !each.atoms.empty(); });
}

void expect_plain_values(Columns& columns, const GroupSet& fitted) {
  std::vector<Matrix> rows;
  for (Index m = 0; m < fitted.num_groups(); ++m) rows.push_back(fitted[m].rows.to_matrix());
  columns.expected = fit_expectations(rows);
  columns.shared = common_expectation(columns.expected);
}

void make_plain(double* row, const Columns& from, const Columns& to) {
  for (std::size_t j = 0; j < from.features.size(); ++j) {
    const Feature& before = from.features[j];
    if (before.spreads == to.features[j].spreads) continue;
    row[j] = to.features[j].coordinate(before.gathered(before.point(row[j])));
  }
}

GroupSet plain_values_of(const GroupSet& groups, const Columns& from, const Columns& to) {
  GroupSet out;
  std::vector<std::vector<Index>> labels;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Group& group = groups[m];
    Matrix rows = group.rows.to_matrix();
    for (Index i = 0; i < rows.rows(); ++i) make_plain(rows.row(i).data(), from, to);
    labels.emplace_back(group.labels.begin(), group.labels.end());
    out.add(group.name, std::move(rows),
            std::vector<double>(group.masses.begin(), group.masses.end()));
  }
  out.set_feature_names(groups.feature_names());
  out.set_covariates(groups.covariates());
  if (!groups.label_names().empty()) out.set_labels(groups.label_names(), std::move(labels));
  return out;
}

}  // namespace conflux

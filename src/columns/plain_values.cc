#include "columns/plain_values.h"

#include <utility>
#include <vector>

#include "columns/expectation.h"

namespace conflux {

namespace {

void make_plain(Feature& feature) {
  if (feature.category()) return;
  feature.spreads = false;
  feature.scale = FeatureScale::kNone;
  feature.spread_knots.clear();
  feature.coordinate_knots.clear();
}

}  // namespace

Columns with_plain_values(const Columns& columns, const GroupSet& fitted) {
  Columns out = columns;
  for (Feature& feature : out.features) make_plain(feature);
  out.scale_reason.clear();
  const GroupSet values = plain_values_of(fitted, columns, out);
  std::vector<Matrix> rows;
  for (Index m = 0; m < values.num_groups(); ++m) rows.push_back(values[m].rows.to_matrix());
  out.expected = fit_expectations(rows);
  out.shared = common_expectation(out.expected);
  return out;
}

GroupSet plain_values_of(const GroupSet& groups, const Columns& from, const Columns& to) {
  GroupSet out;
  std::vector<std::vector<Index>> labels;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Group& group = groups[m];
    Matrix rows = group.rows.to_matrix();
    for (Index j = 0; j < rows.cols(); ++j) {
      const Feature& before = from.features[static_cast<std::size_t>(j)];
      const Feature& after = to.features[static_cast<std::size_t>(j)];
      if (before.category()) continue;
      for (Index i = 0; i < rows.rows(); ++i) {
        rows(i, j) = after.coordinate(before.gathered(before.point(rows(i, j))));
      }
    }
    labels.emplace_back(group.labels.begin(), group.labels.end());
    out.add(group.name, std::move(rows),
            std::vector<double>(group.masses.begin(), group.masses.end()));
  }
  out.set_feature_names(groups.feature_names());
  if (!groups.label_names().empty()) out.set_labels(groups.label_names(), std::move(labels));
  return out;
}

}  // namespace conflux

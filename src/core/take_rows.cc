#include "core/take_rows.h"

#include <algorithm>
#include <type_traits>

#include "core/disk_scratch.h"

namespace conflux {

namespace {

template <class Scalar>
MatrixOf<Scalar> taken(const MatrixView<const Scalar>& rows, const std::vector<Index>& chosen) {
  MatrixOf<Scalar> out(static_cast<Index>(chosen.size()), rows.cols());
  for (Index i = 0; i < out.rows(); ++i) {
    const Index row = chosen[static_cast<std::size_t>(i)];
    DiskScratch::look_at(row);
    std::copy_n(rows.row(row), rows.cols(), out.row(i).data());
  }
  return out;
}

}  // namespace

GroupSet take_rows(const GroupSet& groups, const std::vector<std::vector<Index>>& rows) {
  GroupSet out;
  std::vector<std::vector<Index>> labels;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Group& group = groups[m];
    std::vector<double> masses;
    auto& own = labels.emplace_back();
    for (const Index i : rows[static_cast<std::size_t>(m)]) {
      if (!group.masses.empty()) masses.push_back(group.masses[i]);
      own.push_back(group.label(i));
    }
    group.rows.visit([&](const auto& view) {
      out.add(group.name, taken(view, rows[static_cast<std::size_t>(m)]), std::move(masses));
    });
  }
  if (!groups.feature_names().empty()) out.set_feature_names(groups.feature_names());
  out.set_measured(groups.measured());
  out.set_covariates(groups.covariates());
  if (!groups.label_names().empty()) out.set_labels(groups.label_names(), std::move(labels));
  return out;
}

GroupSet without_covariates(const GroupSet& groups) {
  if (groups.covariates() == 0) return groups;
  GroupSet out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    groups[m].rows.visit([&](const auto& rows) {
      using View = std::decay_t<decltype(rows)>;
      out.add(groups[m].name, View(rows.data(), rows.rows(), groups.features(), rows.stride()),
              groups[m].masses);
    });
  }
  const auto part = [&](auto all) {
    if (!all.empty()) all.resize(static_cast<std::size_t>(groups.features()));
    return all;
  };
  if (!groups.feature_names().empty()) out.set_feature_names(part(groups.feature_names()));
  out.set_measured(part(groups.measured()));
  out.set_labels_of(groups);
  return out;
}

}  // namespace conflux

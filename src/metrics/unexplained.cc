#include "metrics/unexplained.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/least_squares.h"

namespace conflux {

namespace {

// Sums of products of covariates and coordinates, with rows centered in their groups.
class WithinProducts {
 public:
  WithinProducts(Index covariates, Index dim)
      : sums_(Matrix::Zero(covariates, dim)), covariates_(covariates) {}

  void add(const Matrix& group) {
    if (group.rows() == 0) return;
    const Matrix centered = group.rowwise() - group.colwise().mean();
    sums_ += centered.rightCols(covariates_).transpose() * centered;
  }
  Matrix slopes() const {
    return kernels::slopes_of_moments(sums_.rightCols(covariates_),
                                      sums_.leftCols(sums_.cols() - covariates_));
  }

 private:
  Matrix sums_;
  Index covariates_;
};

Matrix less(const Matrix& rows, const Matrix& slopes) {
  return rows.leftCols(slopes.cols()) - rows.rightCols(slopes.rows()) * slopes;
}

// A set with other columns of the same rows.
GroupSet with_columns(const GroupSet& groups, std::vector<Matrix> rows, Index first) {
  GroupSet out;
  const Index dim = rows.empty() ? 0 : rows.front().cols();
  std::vector<std::vector<Index>> labels;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    out.add(groups[m].name, std::move(rows[static_cast<std::size_t>(m)]),
            std::vector<double>(groups[m].masses.begin(), groups[m].masses.end()));
    labels.emplace_back(groups[m].labels.begin(), groups[m].labels.end());
  }
  const auto part = [&](const auto& all) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    return std::decay_t<decltype(all)>(begin, begin + static_cast<std::ptrdiff_t>(dim));
  };
  if (!groups.feature_names().empty()) out.set_feature_names(part(groups.feature_names()));
  if (!groups.label_names().empty()) out.set_labels(groups.label_names(), std::move(labels));
  return out;
}

}  // namespace

Matrix unexplained(const Matrix& rows, Index covariates, std::span<const Index> group_of) {
  if (covariates == 0) return rows;
  const Index count =
      group_of.empty() ? 0 : *std::max_element(group_of.begin(), group_of.end()) + 1;
  std::vector<std::vector<Index>> members(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < group_of.size(); ++i) {
    members[group_of[i]].push_back(static_cast<Index>(i));
  }
  WithinProducts products(covariates, rows.cols());
  for (const auto& own : members) products.add(rows(own, Eigen::all));
  return less(rows, products.slopes());
}

GroupSet unexplained(const GroupSet& groups) {
  if (groups.covariates() == 0) return groups;
  WithinProducts products(groups.covariates(), groups.dim());
  for (Index m = 0; m < groups.num_groups(); ++m) products.add(groups[m].rows.to_matrix());
  const Matrix slopes = products.slopes();
  std::vector<Matrix> rows;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    rows.push_back(less(groups[m].rows.to_matrix(), slopes));
  }
  return with_columns(groups, std::move(rows), 0);
}

GroupSet covariates_of(const GroupSet& groups) {
  std::vector<Matrix> rows;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    rows.push_back(groups[m].rows.to_matrix().rightCols(groups.covariates()));
  }
  return with_columns(groups, std::move(rows), groups.features());
}

}  // namespace conflux

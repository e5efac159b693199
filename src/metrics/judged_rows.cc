#include "metrics/judged_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/disk_scratch.h"

namespace conflux {

JudgedRows draw_rows(const GroupSet& groups, Index per_group, Purpose purpose, std::uint64_t seed) {
  JudgedRows out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    out.sizes.push_back(std::min(per_group, groups[m].rows.rows()));
  }
  out.rows.resize(std::accumulate(out.sizes.begin(), out.sizes.end(), Index{0}), groups.dim());
  for (Index m = 0; m < groups.num_groups(); ++m) {
    Stream stream(seed, purpose, static_cast<std::uint64_t>(m));
    std::vector<Index> chosen = stream.start_of_permutation(groups[m].rows.rows(), out.sizes[m]);
    std::sort(chosen.begin(), chosen.end());
    for (const Index i : chosen) {
      DiskScratch::look_at(i);
      groups[m].rows.copy_row(i, out.rows.row(static_cast<Index>(out.group_of.size())).data());
      out.group_of.push_back(m);
      out.label_of.push_back(groups[m].label(i));
      out.position_of.push_back(i);
    }
  }
  return out;
}

Vector standardize_within_groups(JudgedRows& judged) {
  // Squares below this share of all squares are rounding.
  constexpr double kConstant = 1e-12;
  Matrix& rows = judged.rows;
  Matrix means = Matrix::Zero(static_cast<Index>(judged.sizes.size()), rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    means.row(judged.group_of[i]) +=
        rows.row(i) / static_cast<double>(judged.sizes[judged.group_of[i]]);
  }
  Eigen::RowVectorXd within = Eigen::RowVectorXd::Zero(rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    within += (rows.row(i) - means.row(judged.group_of[i])).cwiseAbs2();
  }
  rows.rowwise() -= rows.colwise().mean().eval();
  Vector factors = Vector::Ones(rows.cols());
  for (Index j = 0; j < rows.cols(); ++j) {
    const double all = rows.col(j).squaredNorm();
    const double squares = within(j) > kConstant * all ? within(j) : all;
    if (squares > 0) factors(j) = std::sqrt(static_cast<double>(rows.rows()) / squares);
    rows.col(j) *= factors(j);
  }
  return factors;
}

bool one_unit(const Matrix& rows, const Vector& factors) {
  // Deviations that differ by more are taken for different units, as a fit takes them.
  constexpr double kUnlikeUnits = 100;
  if (rows.minCoeff() >= 0 && rows.maxCoeff() <= 1) return true;
  return factors.maxCoeff() < kUnlikeUnits * factors.minCoeff();
}

}  // namespace conflux

#include "report/report_rows.h"

#include <algorithm>

#include "metrics/thinning.h"

namespace conflux {

namespace {

// As many as check() and evaluate() look at.
constexpr Index kMostRows = 20'000;
constexpr std::uint64_t kChosenRows = 8;

Matrix taken(const Matrix& rows, const std::vector<Index>& chosen) {
  Matrix out(static_cast<Index>(chosen.size()), rows.cols());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    out.row(static_cast<Index>(i)) = rows.row(chosen[i]);
  }
  return out;
}

}  // namespace

ReportRows draw_report_rows(const Flow& flow, const GroupSet& groups, std::uint64_t seed,
                            const Workers& workers) {
  ReportRows out;
  std::vector<Index> sizes;
  for (Index m = 0; m < groups.num_groups(); ++m) sizes.push_back(groups[m].rows.rows());
  out.before = draw_rows(groups, rows_per_group(sizes, kMostRows), Purpose::kDiagnosis, seed);
  out.after = out.before.rows;
  const std::vector<Index> labels = flow.label_codes(groups.label_names(), out.before.label_of);
  Index at = 0;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Index size = out.before.sizes[m];
    out.in_flow.push_back(flow.group_index(groups[m].name));
    out.begins.push_back(at);
    const Rows rows = Rows(out.after).middle_rows(at, size);
    std::span<const Index> own = labels;
    if (!own.empty()) {
      own = own.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
    }
    flow.move(ConstRows(rows), Route::to_shared({&out.in_flow.back(), 1}).of_labels(own), rows,
              nullptr, workers);
    at += size;
  }
  JudgedRows copy = out.before;
  out.factors = standardize_within_groups(copy);
  return out;
}

std::vector<Index> choose_rows(const ReportRows& rows, Index most, std::uint64_t seed) {
  const Index per_group = rows_per_group(rows.before.sizes, most);
  std::vector<Index> out;
  for (Index m = 0; m < rows.groups(); ++m) {
    Stream stream(seed, Purpose::kDiagnosis, static_cast<std::uint64_t>(m), kChosenRows);
    std::vector<Index> order = stream.permutation(rows.before.sizes[m]);
    order.resize(static_cast<std::size_t>(std::min(per_group, rows.before.sizes[m])));
    std::sort(order.begin(), order.end());
    for (const Index i : order) out.push_back(rows.begins[m] + i);
  }
  return out;
}

ComparableRows comparable_rows(const ReportRows& rows, const std::vector<Index>& chosen) {
  ComparableRows out{.before = taken(rows.before.rows, chosen), .after = taken(rows.after, chosen)};
  out.sizes.resize(rows.before.sizes.size(), 0);
  for (const Index i : chosen) {
    out.group_of.push_back(rows.before.group_of[i]);
    out.label_of.push_back(rows.before.label_of[i]);
    ++out.sizes[out.group_of.back()];
  }
  JudgedRows before{.rows = out.before, .group_of = out.group_of, .sizes = out.sizes};
  const Vector factors = standardize_within_groups(before);
  if (one_unit(out.before, factors)) return out;
  JudgedRows after{.rows = out.after, .group_of = out.group_of, .sizes = out.sizes};
  standardize_within_groups(after);
  out.before = std::move(before.rows);
  out.after = std::move(after.rows);
  return out;
}

}  // namespace conflux

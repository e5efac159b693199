#include <algorithm>
#include <cmath>
#include <map>

#include "conflux/metrics/guessing.h"

namespace conflux {

namespace {

// With fewer rows of a kind, a group is guessed by chance there.
constexpr Index kFewestOfAGroup = 10;

// The rows of one kind, of groups that have enough of them, numbered anew.
struct RowsOfKind {
  Matrix rows = {};
  std::vector<Index> group_of = {};
};

std::optional<RowsOfKind> rows_of_kind(const SampleRows& rows, std::span<const Index> group_of,
                                       const std::vector<Index>& chosen) {
  std::map<Index, Index> counts, numbers;
  for (const Index i : chosen) ++counts[group_of[i]];
  for (const auto& [group, count] : counts) {
    if (count >= kFewestOfAGroup) numbers.emplace(group, static_cast<Index>(numbers.size()));
  }
  if (numbers.size() < 2) return std::nullopt;
  RowsOfKind out{.rows = Matrix(static_cast<Index>(chosen.size()), rows.cols())};
  for (const Index i : chosen) {
    const auto found = numbers.find(group_of[i]);
    if (found == numbers.end()) continue;
    rows.copy_row(i, out.rows.row(static_cast<Index>(out.group_of.size())).data());
    out.group_of.push_back(found->second);
  }
  out.rows.conservativeResize(static_cast<Index>(out.group_of.size()), Eigen::NoChange);
  return out;
}

}  // namespace

std::optional<Guess> guess_within_kinds(const SampleRows& rows, std::span<const Index> group_of,
                                        std::span<const Index> kind_of,
                                        const GuessingOptions& options, const Workers& workers) {
  std::map<Index, std::vector<Index>> by_kind;
  for (std::size_t i = 0; i < kind_of.size(); ++i) {
    if (kind_of[i] >= 0) by_kind[kind_of[i]].push_back(static_cast<Index>(i));
  }
  Guess out{.auc = 0};
  double total = 0, variance = 0;
  for (const auto& [kind, chosen] : by_kind) {
    const std::optional<RowsOfKind> own = rows_of_kind(rows, group_of, chosen);
    if (!own) continue;
    const Guess guess = guess_groups(SampleRows(own->rows), own->group_of, options, workers);
    const auto weight = static_cast<double>(guess.rows);
    out.auc += weight * guess.auc;
    variance += weight * weight * guess.deviation * guess.deviation;
    out.rows += guess.rows;
    total += weight;
  }
  if (total == 0) return std::nullopt;
  out.auc /= total;
  out.deviation = std::sqrt(variance) / total;
  if (out.deviation > 0) {
    out.p_value = 0.5 * std::erfc((out.auc - 0.5) / out.deviation / std::sqrt(2.0));
  }
  return out;
}

}  // namespace conflux

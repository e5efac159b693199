#include <algorithm>
#include <cmath>
#include <limits>
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
  /// The position of each row, and the number of each group, among all.
  std::vector<Index> row_of = {};
  std::vector<Index> groups = {};
};

std::optional<RowsOfKind> rows_of_kind(const SampleRows& rows, std::span<const Index> group_of,
                                       const std::vector<Index>& chosen) {
  std::map<Index, Index> counts, numbers;
  for (const Index i : chosen) ++counts[group_of[i]];
  for (const auto& [group, count] : counts) {
    if (count >= kFewestOfAGroup) numbers.emplace(group, std::ssize(numbers));
  }
  if (numbers.size() < 2) return std::nullopt;
  RowsOfKind out{.rows = Matrix(static_cast<Index>(chosen.size()), rows.cols())};
  for (const Index i : chosen) {
    const auto found = numbers.find(group_of[i]);
    if (found == numbers.end()) continue;
    rows.copy_row(i, out.rows.row(static_cast<Index>(out.group_of.size())).data());
    out.group_of.push_back(found->second);
    out.row_of.push_back(i);
  }
  for (const auto& [group, number] : numbers) out.groups.push_back(group);
  out.rows.conservativeResize(static_cast<Index>(out.group_of.size()), Eigen::NoChange);
  return out;
}

// By the groups and rows of all kinds.
Guess renumbered(const Guess& guess, const RowsOfKind& own, Index rows) {
  Guess out = guess;
  out.influences.assign(static_cast<std::size_t>(rows), 0.0);
  for (std::size_t i = 0; i < own.row_of.size(); ++i) {
    out.influences[own.row_of[i]] = guess.influences[i];
  }
  out.per_group.assign(static_cast<std::size_t>(own.groups.back()) + 1,
                       std::numeric_limits<double>::quiet_NaN());
  for (std::size_t m = 0; m < own.groups.size(); ++m) {
    out.per_group[own.groups[m]] = guess.per_group[m];
  }
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
  std::vector<Guess> guesses;
  for (const auto& [kind, chosen] : by_kind) {
    const std::optional<RowsOfKind> own = rows_of_kind(rows, group_of, chosen);
    if (!own) continue;
    Guess guess = guess_groups(SampleRows(own->rows), own->group_of, options, workers);
    guesses.push_back(renumbered(guess, *own, rows.rows()));
  }
  if (guesses.empty()) return std::nullopt;
  Guess out = mean_guess(guesses);
  // One entry per row: those of the kinds do not overlap.
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows.rows()); ++i) {
    for (std::size_t k = 1; k < guesses.size(); ++k) {
      out.influences[i] += out.influences[i + k * static_cast<std::size_t>(rows.rows())];
    }
  }
  out.influences.resize(static_cast<std::size_t>(rows.rows()));
  return out;
}

}  // namespace conflux

#include "core/nearest_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "conflux/core/index.h"

namespace conflux {

namespace {

constexpr std::size_t kMostListed = 10;
// Longer names are not worth a quadratic comparison.
constexpr std::size_t kLongestName = 200;
// Fewer letters begin many names.
constexpr std::size_t kShortestBeginning = 3;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Edits between a and b, swaps of neighbors included (optimal string alignment).
Index edits(std::string_view a, std::string_view b) {
  const Index m = static_cast<Index>(b.size());
  std::vector<Index> before(m + 1);
  std::vector<Index> above(m + 1);
  std::vector<Index> row(m + 1);
  for (Index j = 0; j <= m; ++j) above[j] = j;
  for (Index i = 1; i <= static_cast<Index>(a.size()); ++i) {
    row[0] = i;
    for (Index j = 1; j <= m; ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[m];
}

// The shortest name of which the beginning was given.
std::optional<std::string> name_that_begins(std::string_view wanted,
                                            const std::vector<std::string>& names) {
  const std::string* found = nullptr;
  for (const std::string& name : names) {
    const bool begins = name.size() >= wanted.size() &&
                        std::equal(wanted.begin(), wanted.end(), name.begin(),
                                   [](char a, char b) { return lower(a) == lower(b); });
    if (begins && (found == nullptr || name.size() < found->size())) found = &name;
  }
  if (wanted.size() < kShortestBeginning || found == nullptr) return std::nullopt;
  return *found;
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view wanted,
                                        const std::vector<std::string>& names) {
  if (wanted.size() > kLongestName) return std::nullopt;
  Index best = std::max<Index>(1, static_cast<Index>(wanted.size()) / 3) + 1;
  const std::string* found = nullptr;
  for (const std::string& name : names) {
    // An edit never changes the length by more than one.
    const Index longer =
        std::abs(static_cast<Index>(name.size()) - static_cast<Index>(wanted.size()));
    if (name.empty() || longer >= best) continue;
    const Index distance = edits(wanted, name);
    // Replacing every letter is not a likeness.
    if (distance >= best || distance >= static_cast<Index>(name.size())) continue;
    best = distance;
    found = &name;
  }
  return found == nullptr ? name_that_begins(wanted, names) : std::optional(*found);
}

std::string unknown_name(std::string_view kind, std::string_view wanted,
                         const std::vector<std::string>& names) {
  if (const auto near = nearest_name(wanted, names)) {
    return fmt::format("no {} \"{}\"; did you mean \"{}\"?", kind, wanted, *near);
  }
  if (names.empty()) return fmt::format("no {} \"{}\"; there are none.", kind, wanted);
  const auto end = names.begin() + static_cast<Index>(std::min(names.size(), kMostListed));
  const std::string more =
      names.size() > kMostListed ? fmt::format(" and {} more", names.size() - kMostListed) : "";
  return fmt::format("no {} \"{}\"; the {}s are \"{}\"{}.", kind, wanted, kind,
                     fmt::join(names.begin(), end, "\", \""), more);
}

}  // namespace conflux

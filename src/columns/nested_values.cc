#include "columns/nested_values.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace conflux {

namespace {

// Fewer rows may share no value by chance.
constexpr double kRowsOfAValue = 4;
// With fewer values a group has hardly more than one, and may be constant for good reasons.
constexpr Index kValuesPerGroup = 2;
// A column with more values than this does not list subjects that are measured repeatedly.
constexpr std::size_t kMostNames = 1000;

// The group of each value; empty if groups share one.
std::map<double, Index> groups_of_values(const std::vector<double>& values,
                                         std::span<const Index> groups) {
  std::map<double, Index> out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const auto [known, is_new] = out.try_emplace(values[i], groups[i]);
    if (known->second != groups[i] || out.size() > kMostNames) return {};
  }
  return out;
}

}  // namespace

std::string why_nested_is_carried(const Meaning& meaning, std::span<const Index> groups,
                                  Index num_groups) {
  const bool category = meaning.feature.category();
  if (num_groups < 2 || !(category || meaning.facts.decimals == 0)) return "";
  const std::map<double, Index> owners = groups_of_values(meaning.values, groups);
  const auto count = static_cast<Index>(owners.size());
  const auto there =
      static_cast<double>(groups.size()) - static_cast<double>(meaning.facts.missing);
  if (count < kValuesPerGroup * num_groups || there < kRowsOfAValue * static_cast<double>(count)) {
    return "";
  }
  if (category) return "because each of its values occurs in one group only";
  const Interval& range = meaning.facts.range;
  if (range.high - range.low + 1 != static_cast<double>(count)) return "";
  return fmt::format("because each of its numbers, {:g} to {:g}, occurs in one group only",
                     range.low, range.high);
}

}  // namespace conflux

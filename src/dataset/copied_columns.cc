#include "dataset/copied_columns.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace conflux {

namespace {

// Numbers with more different values are measurements, which are features unless they were dropped.
constexpr std::size_t kMostNumbers = 100;
// How much a column must tell about the group: as a fraction of the error of always guessing the
// largest group, and in standard errors.
constexpr double kLeastTold = 0.1;
constexpr double kErrors = 4;

std::vector<std::string> values_as_text(const Column& column) {
  if (!column.numeric()) return column.text;
  std::vector<std::string> out;
  std::map<double, std::string> names;
  for (const double number : column.numbers) {
    if (names.size() > kMostNumbers) return {};
    if (!std::isnan(number)) names.try_emplace(number, std::to_string(names.size()));
    out.push_back(std::isnan(number) ? "" : names[number]);
  }
  return out;
}

// Fraction of rows whose group is the most frequent one among the other rows with their value; rows
// with a value of their own get the largest group.
double told_share(const std::vector<std::string>& values, std::span<const Index> groups,
                  const std::vector<double>& sizes) {
  std::map<std::string, std::vector<double>> counts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto& of_value = counts[values[i]];
    of_value.resize(sizes.size(), 0.0);
    of_value[groups[i]] += 1;
  }
  const Index largest = std::max_element(sizes.begin(), sizes.end()) - sizes.begin();
  double told = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<double>& of_value = counts[values[i]];
    of_value[groups[i]] -= 1;
    const auto most = std::max_element(of_value.begin(), of_value.end());
    told += (*most > 0 ? most - of_value.begin() : largest) == groups[i] ? 1 : 0;
    of_value[groups[i]] += 1;
  }
  return told / static_cast<double>(values.size());
}

}  // namespace

std::vector<TellingCopy> find_telling_copies(const Table& table,
                                             const std::vector<std::string>& features,
                                             const std::vector<std::string>& known,
                                             std::span<const Index> groups, Index num_groups) {
  std::vector<TellingCopy> out;
  if (num_groups < 2 || groups.empty()) return out;
  std::vector<double> sizes(static_cast<std::size_t>(num_groups), 0.0);
  for (const Index m : groups) sizes[m] += 1;
  const auto rows = static_cast<double>(groups.size());
  const double base = *std::max_element(sizes.begin(), sizes.end()) / rows;
  const double clear =
      base + std::max(kLeastTold * (1 - base), kErrors * std::sqrt(base * (1 - base) / rows));
  const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const Column& column : table.columns) {
    if (is_in(features, column.name) || is_in(known, column.name)) continue;
    const std::vector<std::string> values = values_as_text(column);
    if (values.size() != groups.size()) continue;
    const double told = told_share(values, groups, sizes);
    if (told > clear) out.push_back({.column = column.name, .told = told, .by_chance = base});
  }
  return out;
}

}  // namespace conflux

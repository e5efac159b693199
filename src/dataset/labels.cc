#include "dataset/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "conflux/core/error.h"

namespace conflux {

std::vector<double> row_weights_of(const Table& table, const std::string& column) {
  if (column.empty()) return {};
  const Column& weights = table[column];
  if (!weights.numeric()) {
    throw InvalidData(fmt::format(
        "{}: column \"{}\" holds text, and weights of rows are numbers; name another column.",
        table.source, column));
  }
  for (Index i = 0; i < weights.size(); ++i) {
    const double weight = weights.numbers[static_cast<std::size_t>(i)];
    if (weight >= 0 && std::isfinite(weight)) continue;
    throw InvalidData(fmt::format(
        "{}, column \"{}\": the weight is {}; give a finite number of at least 0, or leave the row "
        "out.",
        table.place(i), column,
        std::isnan(weight) ? std::string("missing") : fmt::format("{}", weight)));
  }
  return weights.numbers;
}

void refuse_group_as_label(const std::string& group, const std::string& label) {
  const std::vector<std::string> groups = listed_names(group);
  for (const std::string& column : label_columns(label)) {
    if (std::find(groups.begin(), groups.end(), column) == groups.end()) continue;
    throw InvalidOption(
        fmt::format("column \"{}\" holds the groups, so it cannot be the label, whose values "
                    "groups must share; name another column, or leave --label out.",
                    column));
  }
}

NumberedLabels::NumberedLabels(const std::vector<std::string>& labels) {
  std::set<std::string> all(labels.begin(), labels.end());
  all.erase("");
  names.assign(all.begin(), all.end());
  for (const std::string& label : labels) {
    const auto found = std::lower_bound(names.begin(), names.end(), label);
    of_row.push_back(label.empty() ? -1 : found - names.begin());
  }
}

void set_labels(GroupSet& groups, const std::vector<std::vector<std::string>>& labels) {
  std::vector<std::string> together;
  for (const auto& of_group : labels) {
    together.insert(together.end(), of_group.begin(), of_group.end());
  }
  NumberedLabels numbered(together);
  std::vector<std::vector<Index>> codes;
  auto next = numbered.of_row.begin();
  for (const auto& of_group : labels) {
    const auto end = next + static_cast<Index>(of_group.size());
    codes.emplace_back(next, end);
    next = end;
  }
  groups.set_labels(numbered.names, std::move(codes));
}

}  // namespace conflux

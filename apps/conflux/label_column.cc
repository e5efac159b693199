#include "label_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conflux/core/error.h"

namespace conflux::app {

std::vector<std::string> labels_of(const Table& table, const std::string& column) {
  const Column& labels = table[column];
  std::vector<std::string> out;
  for (const std::string& text : labels.text) out.push_back(is_missing(text) ? "" : text);
  for (const double number : labels.numbers) {
    out.push_back(std::isnan(number) ? "" : fmt::format("{}", number));
  }
  return out;
}

bool may_lack_label(const TaggedTableFlags& flags, const std::string& path) {
  return !flags.label.empty() && flags.group.empty() && flags.meta.empty() &&
         flags.paths.size() > 1 && path != "-";
}

void add_empty_labels(Table& table, const TaggedTableFlags& flags, const std::string& path) {
  if (!may_lack_label(flags, path) || table.has(flags.label)) return;
  table.columns.push_back({flags.label,
                           ColumnType::kText,
                           {},
                           std::vector<std::string>(static_cast<std::size_t>(table.num_rows()))});
}

void refuse_absent_labels(const Table& table, const TaggedTableFlags& flags) {
  if (!may_lack_label(flags, "") || !table.has(flags.label)) return;
  const std::vector<std::string> labels = labels_of(table, flags.label);
  if (std::any_of(labels.begin(), labels.end(), [](const auto& each) { return !each.empty(); })) {
    return;
  }
  throw InvalidOption(fmt::format(
      "no file has a \"{}\" in any of its rows; name a column of labels that one of them has, or "
      "leave --label out.",
      flags.label));
}

void refuse_group_as_label(const TaggedTableFlags& flags) {
  if (flags.label.empty() || flags.label != flags.group) return;
  throw InvalidOption(fmt::format(
      "column \"{}\" tells the groups, so it cannot be the label, which rows of all groups share; "
      "name another column, or leave --label out.",
      flags.label));
}

void set_labels(GroupSet& groups, const std::vector<std::vector<std::string>>& labels) {
  std::set<std::string> all;
  for (const auto& of_group : labels) all.insert(of_group.begin(), of_group.end());
  all.erase("");
  const std::vector<std::string> names(all.begin(), all.end());
  std::vector<std::vector<Index>> codes;
  for (const auto& of_group : labels) {
    auto& out = codes.emplace_back();
    for (const std::string& label : of_group) {
      const auto found = std::lower_bound(names.begin(), names.end(), label);
      out.push_back(label.empty() ? -1 : found - names.begin());
    }
  }
  groups.set_labels(names, std::move(codes));
}

}  // namespace conflux::app

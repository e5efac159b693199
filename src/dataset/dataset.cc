#include "conflux/dataset/dataset.h"

#include <fmt/format.h>

#include <utility>

#include "conflux/core/error.h"
#include "conflux/storage/checkpoint.h"
#include "dataset/copied_columns.h"
#include "dataset/feature_options.h"
#include "dataset/group_names.h"
#include "dataset/labels.h"
#include "dataset/name_patterns.h"
#include "dataset/row_conditions.h"
#include "dataset/table_dataset.h"

namespace conflux {

namespace {

std::string name_of(const Table& table) { return table.source.empty() ? "table" : table.source; }

void check_tags(const Table& table, const RowTags& tags) {
  const auto check = [&](std::size_t count, const char* what, bool needed) {
    if (static_cast<Index>(count) == table.num_rows() || (count == 0 && !needed)) return;
    throw InvalidData(fmt::format("{}: {} rows, but {} {}; give one for each row.", name_of(table),
                                  table.num_rows(), count, what));
  };
  check(tags.groups.size(), "groups of rows", tags.group_names.size() != 1);
  check(tags.labels.size(), "labels of rows", false);
  check(tags.masses.size(), "masses of rows", false);
  const auto groups = static_cast<Index>(tags.group_names.size());
  for (std::size_t i = 0; i < tags.groups.size(); ++i) {
    if (tags.groups[i] >= 0 && tags.groups[i] < groups) continue;
    throw InvalidData(
        fmt::format("{}: the group of row {} is {}, but there are {} names of groups; "
                    "number them from 0.",
                    name_of(table), i, tags.groups[i], groups));
  }
}

// Options that only files support are refused, not ignored.
void refuse_joined_table(const Table& table, const DatasetOptions& options) {
  if (options.meta.empty()) return;
  throw InvalidOption(fmt::format(
      "{}: {} is to be joined to it, but the table is in memory; add its columns to the table.",
      name_of(table), options.meta));
}

// The dataset of the rows that satisfy the condition.
Dataset dataset_where(const Table& table, DatasetOptions options, const DatasetHooks& hooks) {
  const std::vector<Index> kept = rows_where(table, options.where);
  Table part = table.rows(kept);
  part.source = table.source;
  add_to_dropped(options.columns, condition_columns(options.where));
  options.where.clear();
  Dataset out = dataset_of(part, options, hooks);
  for (std::vector<Index>& own : out.positions) {
    for (Index& row : own) row = kept[static_cast<std::size_t>(row)];
  }
  return out;
}

}  // namespace

std::string digest_of(const Dataset& dataset) {
  return dataset.digest_when_read.empty() ? data_digest(dataset.groups) : dataset.digest_when_read;
}

Dataset dataset_of(const Table& table, const RowTags& tags, const DatasetOptions& options,
                   const DatasetHooks& hooks) {
  refuse_joined_table(table, options);
  if (!options.where.empty()) {
    throw InvalidOption(fmt::format(
        "{}: a condition on rows needs the table to tell the groups by a column; leave rows out of "
        "the table instead.",
        name_of(table)));
  }
  check_tags(table, tags);
  const ColumnOptions columns = feature_options(options, table, {});
  FoundRows rows = find_rows(table, tags, columns, Workers(options.threads), hooks.on_message);
  Dataset out = gather_rows(table, tags, std::move(rows), hooks.on_message);
  std::vector<std::string> known = listed_names(options.group);
  for (const std::string& label : label_columns(options.label)) known.push_back(label);
  out.telling = find_telling_copies(table, out.columns.feature_names(), known, tags.groups,
                                    std::ssize(tags.group_names));
  return out;
}

Dataset dataset_of_named_groups(const Table& table, const std::vector<std::string>& group_of_row,
                                const DatasetOptions& options, const DatasetHooks& hooks) {
  const NumberedGroups groups(group_of_row);
  return dataset_of(table, {.group_names = groups.names, .groups = groups.of_row}, options, hooks);
}

Dataset dataset_of(const Table& table, const DatasetOptions& options, const DatasetHooks& hooks) {
  if (options.group.empty()) {
    throw InvalidOption(
        fmt::format("{}: no column tells the groups; name one, or give the group of each row.",
                    name_of(table)));
  }
  refuse_group_as_label(options.group, options.label);
  if (!options.where.empty()) return dataset_where(table, options, hooks);
  std::vector<std::string> names = groups_from_columns(table, options.group);
  for (std::string& name : names) name = renamed(name, options.rename);
  const NumberedGroups groups(names);
  RowTags tags{.group_names = groups.names, .groups = groups.of_row};
  const NumberedLabels labels(options.label.empty() ? std::vector<std::string>()
                                                    : labels_of_rows(table, options.label));
  tags.label_names = labels.names;
  tags.labels = labels.of_row;
  const std::vector<double> weights = row_weights_of(table, options.row_weights);
  tags.masses = weights;
  DatasetOptions chosen = options;
  add_to_dropped(chosen.columns, listed_names(options.group));
  if (!options.row_weights.empty()) add_to_dropped(chosen.columns, {options.row_weights});
  add_to_dropped(chosen.columns, label_columns(options.label));
  Dataset out = dataset_of(table, tags, chosen, hooks);
  out.group_column = options.group;
  out.label_column = options.label;
  return out;
}

}  // namespace conflux

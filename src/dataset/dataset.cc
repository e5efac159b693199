#include "conflux/dataset/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "conflux/columns/measured_scales.h"
#include "conflux/core/error.h"
#include "conflux/storage/checkpoint.h"
#include "dataset/data_warnings.h"
#include "dataset/feature_options.h"
#include "dataset/group_names.h"
#include "dataset/labels.h"
#include "dataset/name_patterns.h"

namespace conflux {

namespace {

std::string name_of(const Table& table) { return table.source.empty() ? "table" : table.source; }

std::vector<Index> every_row(Index count) {
  std::vector<Index> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

template <class Value>
std::vector<Value> taken(std::span<const Value> all, const std::vector<Index>& rows) {
  std::vector<Value> out;
  if (all.empty()) return out;
  for (const Index row : rows) out.push_back(all[static_cast<std::size_t>(row)]);
  return out;
}

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

std::vector<std::vector<Index>> rows_by_group(const std::vector<Index>& rows,
                                              std::span<const Index> group_of, Index num_groups) {
  std::vector<std::vector<Index>> out(static_cast<std::size_t>(num_groups));
  for (const Index row : rows) out[group_of[static_cast<std::size_t>(row)]].push_back(row);
  return out;
}

void refuse_groups_without_rows(const Table& table, const std::vector<std::vector<Index>>& rows,
                                const std::vector<std::string>& names) {
  for (std::size_t m = 0; m < rows.size(); ++m) {
    if (!rows[m].empty()) continue;
    throw InvalidData(fmt::format(
        "{}: every row of group \"{}\" has a missing cell; choose --missing auto, which keeps "
        "them, or leave the group out.",
        name_of(table), names[m]));
  }
}

// The rows of the groups as readers of a model see them: missing cells have their expected values.
std::string digest_of_filled(const Columns& columns, const Table& table,
                             const std::vector<std::vector<Index>>& rows, const Dataset& dataset,
                             const Workers& workers) {
  const Matrix all = columns.coordinates(table, workers);
  GroupSet filled;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    const Group& group = dataset.groups[static_cast<Index>(m)];
    Matrix part = all(rows[m], Eigen::all);
    columns.fill_missing(Rows(part), static_cast<Index>(m));
    filled.add(group.name, std::move(part), {group.masses.begin(), group.masses.end()});
  }
  filled.set_feature_names(columns.feature_names());
  if (!dataset.groups.label_names().empty()) filled.set_labels_of(dataset.groups);
  return data_digest(filled);
}

/// The rows that are taken of a table, and what its columns mean.
struct FoundRows {
  Columns columns;
  /// Rows of the table, and those of each group among them.
  std::vector<Index> kept;
  /// The table of the rows that are kept, if some are left out.
  std::optional<Table> complete;
};

FoundRows find_rows(const Table& table, std::span<const Index> groups, Index num_groups,
                    const ColumnOptions& options, const Workers& workers) {
  FoundRows out{.columns = find_columns(table, groups, num_groups, options, workers),
                .kept = every_row(table.num_rows()),
                .complete = std::nullopt};
  if (options.missing != MissingRule::kDrop) return out;
  std::vector<Index> kept = complete_rows(table, out.columns);
  if (kept.size() == out.kept.size()) return out;
  const Columns of_all_rows = std::move(out.columns);
  out.kept = std::move(kept);
  out.complete = table.rows(out.kept);
  out.complete->source = table.source;
  out.columns = find_columns(*out.complete, taken(groups, out.kept), num_groups, options, workers);
  take_missing_codes(out.columns, of_all_rows);
  return out;
}

void set_label_codes(Dataset& out, const RowTags& tags) {
  if (tags.label_names.empty() || tags.labels.empty()) return;
  std::vector<std::vector<Index>> of_groups;
  for (const std::vector<Index>& own : out.positions) of_groups.push_back(taken(tags.labels, own));
  out.groups.set_labels(tags.label_names, std::move(of_groups));
}

}  // namespace

std::string digest_of(const Dataset& dataset) {
  return dataset.digest_when_read.empty() ? data_digest(dataset.groups) : dataset.digest_when_read;
}

Dataset dataset_of(const Table& table, const RowTags& tags, const DatasetOptions& options,
                   const DatasetHooks& hooks) {
  check_tags(table, tags);
  const Workers workers(options.threads);
  const auto num_groups = static_cast<Index>(tags.group_names.size());
  const std::vector<Index> one_group(
      tags.groups.empty() ? static_cast<std::size_t>(table.num_rows()) : 0, 0);
  const std::span<const Index> group_of = tags.groups.empty() ? one_group : tags.groups;
  const ColumnOptions chosen = feature_options(options, table, {});
  FoundRows found = find_rows(table, group_of, num_groups, chosen, workers);
  const Table& used = found.complete ? *found.complete : table;
  const std::vector<Index> group_of_used = taken(group_of, found.kept);

  Dataset out;
  out.positions = rows_by_group(found.kept, group_of, num_groups);
  out.dropped_rows = table.num_rows() - used.num_rows();
  if (out.dropped_rows > 0) refuse_groups_without_rows(table, out.positions, tags.group_names);
  warn_about_options(chosen, hooks.on_message);
  std::vector<Matrix> rows =
      coordinates_by_group(found.columns, used, group_of_used, num_groups, workers);
  for (std::size_t m = 0; m < rows.size(); ++m) {
    out.groups.add(tags.group_names[m], std::move(rows[m]), taken(tags.masses, out.positions[m]));
  }
  set_label_codes(out, tags);
  out.groups.set_feature_names(found.columns.feature_names());
  const auto rows_of_used = rows_by_group(every_row(used.num_rows()), group_of_used, num_groups);
  if (!found.columns.gaps.empty()) {
    out.digest_when_read = digest_of_filled(found.columns, used, rows_of_used, out, workers);
  }
  out.subjects = find_things(used, found.columns, rows_of_used);
  warn_about_data(found.columns, tags.group_names, hooks.on_message);
  out.groups.set_measured(measured_scales(found.columns));
  out.columns = std::move(found.columns);
  return out;
}

Dataset dataset_of(const Table& table, const std::vector<std::string>& group_of_row,
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
  std::vector<std::string> names = groups_from_columns(table, options.group);
  for (std::string& name : names) name = renamed(name, options.rename);
  const NumberedGroups groups(names);
  RowTags tags{.group_names = groups.names, .groups = groups.of_row};
  const NumberedLabels labels(options.label.empty() ? std::vector<std::string>()
                                                    : labels_of(table, options.label));
  tags.label_names = labels.names;
  tags.labels = labels.of_row;
  DatasetOptions chosen = options;
  add_to_dropped(chosen.columns, listed_names(options.group));
  if (!options.label.empty()) add_to_dropped(chosen.columns, {options.label});
  Dataset out = dataset_of(table, tags, chosen, hooks);
  out.group_column = options.group;
  out.label_column = options.label;
  return out;
}

}  // namespace conflux

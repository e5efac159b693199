#include "dataset/table_dataset.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "columns/measured_scales.h"
#include "conflux/core/error.h"
#include "conflux/storage/checkpoint.h"
#include "dataset/data_warnings.h"
#include "dataset/messages.h"
#include "dataset/numbered_rows.h"

namespace conflux {

namespace {

std::vector<std::vector<Index>> positions_of_groups(const std::vector<Index>& rows,
                                                    const std::vector<Index>& groups,
                                                    std::size_t num_groups) {
  std::vector<std::vector<Index>> out(num_groups);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out[static_cast<std::size_t>(groups[i])].push_back(rows[i]);
  }
  return out;
}

std::vector<Index> every_row(std::size_t count) {
  std::vector<Index> out(count);
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

void refuse_groups_without_rows(const Table& table, const FoundRows& rows,
                                const std::vector<std::string>& names) {
  if (rows.taken.empty()) {
    throw InvalidData(
        fmt::format("{}: every row has a missing cell; choose --missing auto.", table.source));
  }
  std::vector<char> has_rows(names.size(), 0);
  for (const Index group : rows.groups) has_rows[static_cast<std::size_t>(group)] = 1;
  for (std::size_t m = 0; m < names.size(); ++m) {
    if (has_rows[m] != 0) continue;
    throw InvalidData(
        fmt::format("{}: every row of group \"{}\" has a missing cell; choose --missing auto, or "
                    "leave the group out.",
                    table.source, names[m]));
  }
}

/// Cells of a matrix.
using Cells = std::vector<std::pair<Index, Index>>;

Cells missing_cells(const Matrix& rows) {
  Cells out;
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      if (std::isnan(rows(i, j))) out.emplace_back(i, j);
    }
  }
  return out;
}

// The digest of rows as readers of a model see them, whose missing cells have expected values. The
// rows are changed and changed back, as a copy of them would take memory.
std::string digest_of_filled(const Columns& columns, const RowTags& tags,
                             const std::vector<std::vector<Index>>& positions,
                             std::vector<Matrix>& rows) {
  std::vector<Cells> missing;
  std::vector<std::vector<double>> masses;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    missing.push_back(missing_cells(rows[m]));
    masses.push_back(values_of(tags.masses, positions[m]));
    columns.fill_missing(Rows(rows[m]), static_cast<Index>(m));
  }
  GroupSet filled;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    filled.add(tags.group_names[m], SampleRows(rows[m]), masses[m]);
  }
  filled.set_feature_names(columns.coordinate_names());
  set_label_codes(filled, tags, positions);
  std::string out = data_digest(filled);
  for (std::size_t m = 0; m < rows.size(); ++m) {
    for (const auto& [i, j] : missing[m]) rows[m](i, j) = std::nan("");
  }
  return out;
}

}  // namespace

FoundRows find_rows(const Table& table, const RowTags& tags, const ColumnOptions& options,
                    const Workers& workers, const MessageCallback& on_message) {
  const auto num_groups = static_cast<Index>(tags.group_names.size());
  const auto count = static_cast<std::size_t>(table.num_rows());
  FoundRows out{.found = {}, .taken = every_row(count), .groups = {}, .complete = std::nullopt};
  out.groups.assign(tags.groups.begin(), tags.groups.end());
  if (tags.groups.empty()) out.groups.assign(count, 0);
  out.found = find_columns_and_rows(table, out.groups, num_groups, options, workers);
  if (options.missing == MissingRule::kDrop) {
    std::vector<Index> kept = complete_rows(table, out.found.columns);
    if (kept.size() < count) {
      inform(on_message, fmt::format("{} of {} rows have missing cells and are left out of the fit",
                                     count - kept.size(), count));
      const Columns of_all_rows = std::move(out.found.columns);
      out.found.rows.clear();
      out.taken = std::move(kept);
      out.groups = values_of(std::span<const Index>(out.groups), out.taken);
      refuse_groups_without_rows(table, out, tags.group_names);
      out.complete = table.rows(out.taken);
      out.complete->source = table.source;
      out.found = find_columns_and_rows(*out.complete, out.groups, num_groups, options, workers);
      take_missing_codes(out.found.columns, of_all_rows);
    }
  }
  if (options.repeats == Repeats::kKeep) {
    warn(on_message,
         "repeated values are kept: each group's become other numbers in the shared space, from "
         "which the group can be predicted");
  }
  return out;
}

Dataset gather_rows(const Table& table, const RowTags& tags, FoundRows rows,
                    const MessageCallback& on_message) {
  const Table& used = rows.complete ? *rows.complete : table;
  Columns& columns = rows.found.columns;
  std::vector<Matrix>& coordinates = rows.found.rows;
  Dataset out;
  out.dropped_rows = table.num_rows() - used.num_rows();
  out.positions = positions_of_groups(rows.taken, rows.groups, tags.group_names.size());
  if (!columns.gaps.empty()) {
    out.digest_when_read = digest_of_filled(columns, tags, out.positions, coordinates);
    draw_missing(columns, used, rows.groups, coordinates);
  }
  add_groups(out.groups, tags, std::move(coordinates), out.positions);
  out.groups.set_feature_names(columns.coordinate_names());
  out.groups.set_covariates(columns.num_covariates());
  out.groups.set_measured(measured_scales(columns));
  out.subjects = find_subjects(used, columns,
                               out.dropped_rows == 0
                                   ? out.positions
                                   : positions_of_groups(every_row(rows.taken.size()), rows.groups,
                                                         tags.group_names.size()));
  warn_about_data(columns, tags.group_names, on_message);
  out.columns = std::move(columns);
  return out;
}

}  // namespace conflux

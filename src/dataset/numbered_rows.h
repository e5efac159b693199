// Groups and labels of rows as numbers.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "conflux/dataset/dataset.h"
#include "dataset/group_names.h"
#include "dataset/labels.h"
#include "dataset/table_rows.h"

namespace conflux {

struct NumberedRows {
  /// Takes the names of the rows' groups; labels and weights as the options say.
  NumberedRows(TableRows& rows, const DatasetOptions& options)
      : groups(rows.take_groups()),
        labels(options.label.empty() ? std::vector<std::string>()
                                     : labels_of_rows(rows.table, options.label)),
        weights(row_weights_of(rows.table, options.row_weights)) {}

  /// Borrows the numbers.
  RowTags tags() const {
    return {.group_names = groups.names,
            .groups = groups.of_row,
            .label_names = labels.names,
            .labels = labels.of_row,
            .masses = weights};
  }

  NumberedGroups groups;
  NumberedLabels labels;
  std::vector<double> weights;
};

/// The values of these rows; nothing if there are none.
template <class Value>
std::vector<Value> values_of(std::span<const Value> all, const std::vector<Index>& rows) {
  std::vector<Value> out;
  if (all.empty()) return out;
  out.reserve(rows.size());
  for (const Index row : rows) out.push_back(all[static_cast<std::size_t>(row)]);
  return out;
}

/// Sets the labels of groups of rows; positions[m][i] is the row that is row i of group m.
void set_label_codes(GroupSet& groups, const RowTags& tags,
                     const std::vector<std::vector<Index>>& positions);

/// Adds groups of rows with their masses and labels.
void add_groups(GroupSet& groups, const RowTags& tags, std::vector<Matrix> rows,
                const std::vector<std::vector<Index>>& positions);

}  // namespace conflux

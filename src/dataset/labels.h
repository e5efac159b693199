// Labels: the class of each row, where it is known.
//
// A cell that is empty, or spelled like a missing value (NA, NaN, ?), means that the label is
// unknown.

#pragma once

#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/tables/table_groups.h"

namespace conflux {

/// The weight of each row; empty without a column. Throws InvalidData that names the row for one
/// that is no finite number of at least 0.
std::vector<double> row_weights_of(const Table& table, const std::string& column);

/// Throws InvalidOption when the column of groups is also the column of labels.
void refuse_group_as_label(const std::string& group, const std::string& label);

/// Labels in the order of their names, and the position of each row's label among them, or -1.
struct NumberedLabels {
  /// labels[i] is the label of row i; empty: unknown.
  explicit NumberedLabels(const std::vector<std::string>& labels);

  std::vector<std::string> names;
  std::vector<Index> of_row;
};

/// labels[m][i] is the label of row i of group m; labels are numbered in the order of their names.
void set_labels(GroupSet& groups, const std::vector<std::vector<std::string>>& labels);

}  // namespace conflux

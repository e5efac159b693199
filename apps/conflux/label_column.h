// The column of labels: what rows show, where it is known.
//
// A cell that is empty, or spelled like a missing value (NA, NaN, ?), says that the label is
// unknown. When groups are files, a file without the column has no labels; one of them must have
// it.

#pragma once

#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/tables/table.h"
#include "tagged_table.h"

namespace conflux::app {

/// What each row shows; rows without a label have an empty text.
std::vector<std::string> labels_of(const Table& table, const std::string& column);

/// Whether this file may do without the column of labels.
bool may_lack_label(const TaggedTableFlags& flags, const std::string& path);

/// Adds an empty column of labels to a table of which that may be.
void add_empty_labels(Table& table, const TaggedTableFlags& flags, const std::string& path);

/// Throws InvalidOption when no row of any file could have a label.
void refuse_absent_labels(const Table& table, const TaggedTableFlags& flags);

/// Throws InvalidOption when the column of groups is to tell labels as well.
void refuse_group_as_label(const TaggedTableFlags& flags);

/// labels[m][i] is what row i of group m shows; labels are numbered in the order of their names.
void set_labels(GroupSet& groups, const std::vector<std::vector<std::string>>& labels);

}  // namespace conflux::app

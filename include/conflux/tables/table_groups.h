// Tables as groups of samples, and back.
//
// One column names the group of each row, others are features, all further ones are copied
// unchanged. The position of each row is kept.

#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/tables/table.h"

namespace conflux {

/// Which columns are what.
struct GroupColumns {
  /// Column with the group of each row. Numbers become names: 3 is "3".
  std::string group = "group";
  /// Features in this order. Empty: every numeric column but `group` and `drop`.
  std::vector<std::string> features = {};
  /// Never features, say labels.
  std::vector<std::string> drop = {};
};

struct GroupedTable {
  /// Groups in the order of their first rows; rows keep their order.
  GroupSet groups;
  /// positions[m][i] is the row of the table that is row i of group m.
  std::vector<std::vector<Index>> positions;
};

/// Throws InvalidOption with the nearest name for a column that is not there, InvalidData for text
/// among the features, rows without a group, and missing values: the first cell and the number of
/// them in each column.
GroupedTable groups_from_table(const Table& table, const GroupColumns& columns = {});

/// The group of every row. Throws InvalidData for a row without one.
std::vector<std::string> groups_of_rows(const Table& table, std::string_view column);

/// The names of a list that is separated by commas.
std::vector<std::string> listed_names(const std::string& text);

/// The columns of a label: one or, separated by commas, several whose combinations are the labels.
std::vector<std::string> label_columns(const std::string& columns);

/// Whether a table has all columns of a label.
bool has_columns(const Table& table, const std::string& columns);

/// The label of every row; empty if a cell of the columns is missing.
std::vector<std::string> labels_of_rows(const Table& table, const std::string& columns);

/// The names of the features that groups_from_table would take.
std::vector<std::string> feature_names(const TableSchema& schema, const GroupColumns& columns,
                                       std::string_view source = {});

/// Columns of a table as rows of features; refuses text and missing values as above.
Matrix features_of(const Table& table, const std::vector<std::string>& features);

/// The same for the rows of each group: positions[m][i] is the row of the table that is row i of
/// group m.
std::vector<Matrix> features_of_groups(const Table& table, const std::vector<std::string>& features,
                                       const std::vector<std::vector<Index>>& positions);

/// A text table with the column "group"; all other columns are features.
GroupSet read_csv(const std::filesystem::path& path);

/// Writes group after group, "group" last. Features without names are called x0, x1, ... Throws
/// InvalidData for what a table cannot hold: weights and groups without rows or name.
void write_csv(const std::filesystem::path& path, const GroupSet& groups);

}  // namespace conflux

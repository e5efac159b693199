// Conditions on rows: "type=control", "year<1981", "year>=1961 and year<1981".
//
// Left of =, !=, <, <=, > or >= stands a column, right of it a value. Sizes compare numbers; = and
// != compare texts as they are spelled, or numbers if the column has them.

#pragma once

#include <string>
#include <vector>

#include "conflux/tables/table.h"

namespace conflux {

/// Columns that a condition is about; none when it is empty.
std::vector<std::string> condition_columns(const std::string& condition);
/// Those of them whose cells are compared as they are spelled.
std::vector<std::string> spelled_in(const std::string& condition);

/// Rows of which the condition is true. Throws InvalidData with the values that there are when it
/// is true of none.
std::vector<Index> rows_where(const Table& table, const std::string& condition);

}  // namespace conflux

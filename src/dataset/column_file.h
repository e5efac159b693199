// Files that say what columns mean: a JSON object with a word for each column, or an object with
// the words "as" and "support".

#pragma once

#include <string>

#include "conflux/columns/find_columns.h"

namespace conflux {

/// Adds the words of a file. Throws InvalidData that names what is no word.
void read_column_file(const std::string& path, ColumnOptions& options);

/// The text of a file with the types of the columns.
std::string column_file_text(const Columns& columns);

}  // namespace conflux

// A first look at a table, for who has to say what its columns are.

#pragma once

#include <string>

#include "files/json.h"

namespace conflux::app {

/// Rows, columns with their kinds and numbers of different values, the column that most likely
/// tells the groups, and what an aligned table would be called. Memory holds a block of rows.
Json look_at_columns(const std::string& path, int threads);

}  // namespace conflux::app

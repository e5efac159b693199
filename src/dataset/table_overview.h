// Overview of a table, for a user who chooses its columns.

#pragma once

#include <string>

#include "files/json.h"

namespace conflux {

/// Rows, columns with their kinds and numbers of different values, the column that most likely
/// tells the groups. Memory holds a block of rows. Throws Stopped.
Json look_at_columns(const std::string& path, int threads);

}  // namespace conflux

// What looks like a mistake in a table and cannot be known to be one: units that differ between
// groups, and groups whose names differ by how they are written.

#pragma once

#include <string>
#include <vector>

#include "conflux/columns/columns.h"
#include "conflux/core/error.h"

namespace conflux {

/// Warns of both; `groups` has the names of the groups that the columns count.
void warn_about_data(const Columns& columns, const std::vector<std::string>& groups,
                     const MessageCallback& on_message);

}  // namespace conflux

// Warnings about likely mistakes in a table that cannot be proved: units that differ between
// groups, and group names that differ only in case or spaces.

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

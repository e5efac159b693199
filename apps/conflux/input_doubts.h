// What looks like a mistake in a table and cannot be known to be one: units that differ between
// groups, and groups whose names differ by how they are written.

#pragma once

#include <string>
#include <vector>

#include "conflux/columns/columns.h"
#include "support/console.h"

namespace conflux::app {

/// Warns of both; `groups` has the names of the groups that the columns count.
void tell_doubts(const Columns& columns, const std::vector<std::string>& groups,
                 const Console& console);

}  // namespace conflux::app

// A few lines of block letters: how one feature of each group looked before, and looks after.

#pragma once

#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/flow/flow.h"

namespace conflux {

/// The feature whose group means lay furthest apart before, of at most six groups; empty when there
/// is nothing to compare. Groups are found in the flow by their names.
std::vector<std::string> terminal_picture(const Flow& flow, const GroupSet& groups, int threads);

}  // namespace conflux

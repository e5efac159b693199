// Findings of conflux check, which conflux align prints, too.

#pragma once

#include <string>
#include <vector>

#include "conflux/comparing/check.h"
#include "support/console.h"

namespace conflux::app {

/// Everything that was found; `command` is what to do next, empty: nothing.
Json check_json(const CheckReport& found, const std::vector<std::string>& group_names,
                const std::vector<std::string>& feature_names, const std::string& command);

/// Name of an aligned table of these inputs: different from all inputs, in a format that keeps the
/// groups of its rows.
std::string aligned_name(const std::vector<std::string>& paths, const std::string& format);

}  // namespace conflux::app

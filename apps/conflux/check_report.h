// What conflux check finds, as conflux align says it, too.

#pragma once

#include <string>

#include "conflux/judging/check.h"
#include "support/console.h"

namespace conflux::app {

/// Everything that was found; `command` is what to do next, empty: nothing.
Json check_json(const CheckReport& found, const GroupSet& groups, const std::string& command);

}  // namespace conflux::app

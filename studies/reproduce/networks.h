// Size, passes and cost of trained networks, which the pages show beside their scores.

#pragma once

#include <string>
#include <vector>

#include "reproduce/report.h"

namespace conflux::app {

/// A section of the report; empty when no row has a network.
std::string networks_text(const std::vector<RowResult>& results);

}  // namespace conflux::app

// What rows of trained networks are made of, for the pages: figures of networks say little without
// their size, their passes and their cost.

#pragma once

#include <string>
#include <vector>

#include "reproduce/report.h"

namespace conflux::app {

/// A section of the report; empty when no row has a network.
std::string networks_text(const std::vector<RowResult>& results);

}  // namespace conflux::app

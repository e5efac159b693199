// Chooses the goal of the automatic fit if the caller leaves it open.

#pragma once

#include <string>

#include "conflux/dataset/dataset.h"

namespace conflux {

/// Why the groups of a dataset shall become equal (Goal::kHide), as a clause: its rows are records
/// of people or cases, with categories or codes of few values, or its columns are pixels. Empty for
/// other measurements (Goal::kTransfer).
std::string why_hide(const Dataset& data);

}  // namespace conflux

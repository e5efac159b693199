// How sure the matching of kinds is, for a person: which part of each group found partners, which
// groups are linked only through others, and the kinds with their shares.

#pragma once

#include <string>
#include <vector>

#include "conflux/training/fit_record.h"

namespace conflux::app {

/// Nothing unless rows were aligned with rows of their kind. Of many groups those that found the
/// fewest partners.
std::vector<std::string> matched_kinds(const FitRecord& record);

}  // namespace conflux::app

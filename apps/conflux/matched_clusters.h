// How sure the matching of clusters is, for a person: which part of each group found partners,
// which groups are linked only through others, and the clusters with their shares.

#pragma once

#include <string>
#include <vector>

#include "conflux/training/fit_record.h"

namespace conflux::app {

/// Nothing unless rows were aligned with rows of their cluster. Of many groups those that found the
/// fewest partners.
std::vector<std::string> matched_clusters(const FitRecord& record);

}  // namespace conflux::app

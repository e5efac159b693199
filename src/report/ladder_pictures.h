// Both curves over the rungs of the ladder: transfer of held-out features and group AUC.

#pragma once

#include <string>
#include <vector>

#include "conflux/training/fit_record.h"

namespace conflux {

/// One figure for each curve that was measured; none without a ladder.
std::vector<std::string> ladder_figures(const LadderRecord& ladder);

}  // namespace conflux

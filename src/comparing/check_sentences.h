// Sentences and advice from the figures of a check.

#pragma once

#include "comparing/composition.h"
#include "conflux/comparing/check.h"

namespace conflux {

/// Fills in `advice` and `sentences`.
void advise(CheckReport& report, const GroupSet& groups, const Compositions& found,
            double error_rate);

}  // namespace conflux

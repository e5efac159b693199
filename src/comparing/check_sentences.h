// What the figures of a check mean, in sentences, and what to do.

#pragma once

#include "comparing/composition.h"
#include "conflux/comparing/check.h"

namespace conflux {

/// Fills in `advice` and `sentences`.
void advise(CheckReport& report, const GroupSet& groups, const Compositions& found,
            double error_rate);

}  // namespace conflux

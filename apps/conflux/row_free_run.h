// conflux fit --share summaries: every process fits groups of its own, and no row leaves it.

#pragma once

#include "conflux/model/model.h"
#include "fit_run.h"
#include "support/console.h"

namespace conflux::app {

/// Reads the arrays that this process was given and fits them together with those of the others.
/// Throws InvalidOption for flags that it has no use for.
Model fit_row_free_groups(const FitFlags& flags);

}  // namespace conflux::app

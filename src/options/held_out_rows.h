// How many held-out rows a fit looks at after each layer.

#pragma once

#include "conflux/core/index.h"

namespace conflux {

/// Rows per group that are looked at.
Index held_out_rows_per_group(Index dim, Index num_groups);

}  // namespace conflux

// Gates by covariates: rows are shared among cells of like covariates.
//
// Cells are clusters of the covariates of all groups together, found anew for every layer, so that
// the borders of one layer lie within cells of the next. They overlap softly, as far as the rows of
// a cell lie from its center. The gate is exact, as no layer moves what it looks at.

#pragma once

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "core/rng.h"
#include "fitting/line_maps.h"
#include "flow/gated_layer.h"

namespace conflux {

/// At most `cells` cells, of which the smallest group has at least `rows` rows each on average.
Gate covariate_gate(const GroupSet& groups, const RowChoice& chosen, Index cells, double rows,
                    Stream stream, Communicator& comm);

}  // namespace conflux

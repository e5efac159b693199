// Predicting left-out features across groups, and scoring the predictions.

#pragma once

#include <vector>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"
#include "metrics/transfer_plan.h"

namespace conflux {

/// Features by rows: ranks of the values within their group, with mean 0 and mean square 1; NaN
/// where a value is missing, 0 where all values of a group are equal.
Matrix ranks_within_groups(const GroupSet& judged, const Workers& workers);

/// Moved rows of all groups, one under the other, each column divided by its standard deviation
/// within groups. A missing value becomes the mean of its group.
Matrix comparable_rows(const GroupSet& moved);

/// Features by rows: the mean of `ranks` over the nearest rows of other groups.
Matrix predict_from_other_groups(const Matrix& rows, const std::vector<Index>& group_of,
                                 const Matrix& ranks, Index neighbors, const Workers& workers);

/// Appends the cells of a block to `out` and adds to the influences of its rows.
void score_block(const TransferPlan& plan, Index block, const Matrix& predictions,
                 FeatureTransfer& out, const Workers& workers);

}  // namespace conflux

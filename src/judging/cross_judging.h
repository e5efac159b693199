// Every row judges: each half of the rows is moved by a fit of the other half.
//
// A fifth of a few thousand rows gives imprecise scores, and validation rows give optimistic ones.
// So the fitted rows are split into two parts, and each part is moved by a fit of the other, by the
// method that the fit has chosen. Scores of the parts are averaged; rows are not mixed, because the
// fits have shared spaces of their own. Fits of half of the rows are a little worse than the fit of
// all, so scores are conservative.
//
// Cost: two fits of half of the rows each, and their judges. So it is done for tables of few
// numbers only; many rows judge well enough as they are.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/judging/evaluation.h"
#include "conflux/judging/judgement.h"
#include "conflux/training/fit.h"

namespace conflux {

struct CrossedRows {
  /// Rows that each fit learns from: all parts but one, and all rows of groups that are too small.
  std::vector<GroupSet> fitted = {};
  /// The rows that judge it: the part.
  std::vector<GroupSet> judged = {};
  /// Features with missing cells that were filled in (FitControl::gaps).
  std::vector<Index> gaps = {};
};

/// Permutations the rows; unset if they are too many, if fewer than two groups have twenty rows, or
/// for methods whose fits take long whatever the number of rows.
std::optional<CrossedRows> cross_rows(const GroupSet& groups, const FitOptions& requested,
                                      std::uint64_t seed);

/// The flows that move the parts, fitted like `fit`; empty where what is left of the rows is too
/// little for its method.
std::vector<Flow> fit_others(const Fit& fit, const CrossedRows& rows);

/// Predictions on each part by the flow that has not seen it, groups in the order of `names`; empty
/// if a part cannot be scored.
std::vector<GroupPredictions> judge_parts(const std::vector<Flow>& flows, const CrossedRows& rows,
                                          const std::vector<std::string>& names,
                                          const EvaluationOptions& options);

/// Whether the judged rows do not show a clear gain of a fit that moves rows.
bool gains_nothing_clear(const Fit& fit, const Judgement& judgement);

/// Removes the layers, so that every row stays where it is, and gives the reason in the summary.
void leave_alone(Fit& fit, const Judgement& judgement);

/// A set with the groups that have rows.
GroupSet with_rows(const GroupSet& groups);

}  // namespace conflux

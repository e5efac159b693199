// Every row judges: each half of the rows is moved by a fit of the other half.
//
// A fifth of a few thousand rows says little, and rows that have told a fit when to stop say too
// much good of it. So the fitted rows are halved, each half is fitted in the way that the fit has
// chosen, and moves the other half. What both halves show is averaged; they are not mixed, because
// the two fits have shared spaces of their own.
//
// Cost: two fits of half of the rows each, and their judges. So it is done for tables of few numbers
// only; many rows judge well enough as they are.

#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/judging/judgement.h"
#include "conflux/training/fit.h"

namespace conflux {

struct CrossedRows {
  /// What each fit learns from: one half, and all rows of groups that are too small to be halved.
  std::array<GroupSet, 2> fitted = {};
  /// The rows that judge it: the other half.
  std::array<GroupSet, 2> judged = {};
  /// Features with missing cells that were filled in (FitControl::gaps).
  std::vector<Index> gaps = {};
};

/// Both halves of the rows; unset if they are too many, if fewer than two groups have twenty rows,
/// or for methods whose fits take long whatever the number of rows.
std::optional<CrossedRows> cross_rows(const GroupSet& groups, const FitOptions& requested,
                                      std::uint64_t seed);

/// The flows of both halves, fitted like `fit`; unset where a half is too small for its method.
std::optional<std::array<Flow, 2>> fit_halves(const Fit& fit, const CrossedRows& rows);

/// Whether the judged rows do not show a clear gain of a fit that moves rows.
bool gains_nothing_clear(const Fit& fit, const Judgement& judgement);

/// Takes the layers back, so that every row stays where it is, and says why in the summary.
void leave_alone(Fit& fit, const Judgement& judgement);

/// A set with the groups that have rows.
GroupSet with_rows(const GroupSet& groups);

}  // namespace conflux

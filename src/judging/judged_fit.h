// A fit with a summary that tells the truth: rows that it has not seen, and what they say.
//
//   RowsToJudge rows = choose_rows_to_judge(std::move(groups), 0.2, options);
//   Fit fit = fit_planned(std::move(rows.fitted), rows.options, comm, {}, rows.plan());
//   const std::optional<Judgement> judgement = judge_fit(fit, rows);   // fills fit.record.summary
//
// Test rows are best: set aside before the fit, or not drawn into its pool. Otherwise the
// validation rows of the fit are scored: no map was fitted on them, but they decided when to stop.
// Small groups are scored by one half of their rows and a fit of the other half, if the method does
// so. Without any of these, training rows are scored, which is optimistic, and the summary says so.
// If there are few rows, all of them are scored (judging/cross_judging.h).
//
// Cost: that of judge_alignment() on at most 10,000 rows, and two further fits of half of the
// rows where they are few.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/judging/judgement.h"
#include "conflux/training/fit.h"
#include "judging/cross_judging.h"
#include "training/fit_plan.h"

namespace conflux {

/// A group is judged by rows that are set aside if there are at least so many of them.
inline constexpr Index kFewestUnseenRows = 20;

enum class JudgedBy {
  kSetAside,   ///< rows that nothing of the fit has seen
  kHeldOut,    ///< validation rows: no map was fitted on them, but they decided when to stop
  kRehearsed,  ///< half of the rows, by a fit of the other half
  kCrossed,    ///< all rows, each part by a fit of the others
  kFitted,     ///< rows of the fit
};

struct RowsToJudge {
  /// For fit_planned(); may be moved into it.
  GroupSet fitted = {};
  /// For fit_planned(): the requested options, with a gate that was chosen by all rows, or all of
  /// the pools, as check() would.
  FitOptions options = {};
  ClustersRecord clusters = {};
  /// A copy, at most 10,000 rows of all groups together.
  GroupSet judged = {};
  /// A copy of some fitted rows, at most 2,000: new rows are measured by how they lie.
  GroupSet sampled = {};
  JudgedBy by = JudgedBy::kFitted;
  /// Parts of the fitted rows that judge as well (cross_rows()); unset: they do not.
  std::optional<CrossedRows> crossed = std::nullopt;
  /// Which rows of each group were set aside, in their order; of a group that is larger than its
  /// pool those that come next.
  std::vector<std::vector<Index>> set_aside = {};
  /// Sizes of the groups that `fitted` was drawn from; empty when nothing was left out.
  std::vector<Index> drawn_from = {};
  Index fitted_rows = 0;
  Index unseen_rows = 0;
  /// Groups that have too few rows to set some aside, and are not judged.
  std::vector<std::string> too_small = {};

  /// Plan that the fit must follow. Refers to this object.
  FitPlan plan() const;
};

/// Draws the pool of groups that are larger than FitOptions::fit_rows, whose other rows can be
/// scored. Sets aside the fraction `unseen` of every other group that has enough rows, by the seed
/// of the options; with 0, or if fewer than two groups have enough, nothing is set aside. `drawn`:
/// the given rows were sampled already, with the division into fitted and test rows. Throws
/// InvalidOption for fractions outside [0, 1), or options that do not fit the data.
RowsToJudge choose_rows_to_judge(GroupSet groups, double unseen, const FitOptions& options,
                                 const Pool* drawn = nullptr);

/// A fit that leaves every row where it is, with a summary that there is nothing to align.
Fit fit_that_leaves(const GroupSet& groups, const FitOptions& options);

/// Judges the fit in the shared space, or with all rows translated to the group `to`; fills in its
/// summary and adds warnings to its record. Unset when fewer than two groups can be judged.
std::optional<Judgement> judge_fit(Fit& fit, const RowsToJudge& rows, const std::string& to = {});

}  // namespace conflux

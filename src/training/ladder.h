// The ladder: how much correction the rows support.
//
// Rungs are corrections from least to most: none, means, location and scale, Gaussian barycenter,
// one map per feature, a few sliced layers, the cascade of all kinds of layers, and sliced layers
// within clusters. Each is fitted on one half of a sample and judged on the other half, twice:
//
// - Group AUC: how well the group of a row can be predicted afterwards.
// - Transfer of held-out features (metrics/feature_transfer.h): a block of features is left out,
//   the rest is aligned, and the block is predicted from rows of the other groups. It rises while
//   like rows meet, and falls when unlike rows are moved onto each other.
//
// Location and scale, shrunken over the features, is where the ladder begins: at equal transfer it
// has served tasks best. Means or none take its place if their transfer is clearly higher (two
// standard errors), and none if the group gets no harder to predict. A rung beyond is taken if its
// transfer is clearly higher, or if it hides the group and costs no transfer, which must be seen:
// of few rows, whose standard errors are large, rungs beyond are rarely taken. Where clusters
// differ in proportions, only corrections within clusters count, unless another one is clearly
// better. Where held-out features share nothing, clusters that lie apart are aligned one by one,
// and otherwise features are. Where held-out features cannot judge, large groups get the cascade
// and small ones location and scale.
//
// Cost: a fit of a sample of at most kLadderRows rows for every rung and every block.

#pragma once

#include <functional>

#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "conflux/training/fit.h"

namespace conflux {

/// Rows of all groups that the rungs are fitted on, and as many that judge them.
inline constexpr Index kLadderRows = 2'000;

struct LadderChoice {
  /// The options of the rung, with a concrete method.
  FitOptions options;
  /// Nothing is moved.
  bool none = false;
  /// Features are only shifted and scaled, if at all.
  bool linear = false;
  LadderRecord record;
};

/// Whether the automatic fit has a choice: the method is auto, the goal is transfer, and neither
/// layers nor strength nor a gate were asked for. `gate_is_open`: the gate was left to the fit.
bool has_ladder(const GroupSet& groups, const FitOptions& requested, bool gate_is_open);

/// Fits one rung: the rows of the second set, moved by a fit of the first.
using FitRung = std::function<Fit(const GroupSet& groups, const FitOptions& options)>;

/// Rows of some features with values as coordinates (FitPlan::plain_values).
using PlainValues = std::function<GroupSet(const GroupSet&, const std::vector<Index>& features)>;

/// Chooses among the rungs that the groups allow. `fit` must not come back here. If clusters were
/// found that the groups hold in different proportions (`clusters`), rungs that do not keep to them
/// must be clearly better. Rungs that only shift and scale are judged on `plain_values`, if set.
LadderChoice choose_rung(const GroupSet& groups, const FitOptions& requested, bool clusters,
                         const FitRung& fit, const PlainValues& plain_values,
                         const Workers& workers);

}  // namespace conflux

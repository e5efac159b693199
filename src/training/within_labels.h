// Fits within labels: the rows of a label that groups share get a flow of their own.
//
// A gate aligns rows with rows that lie where rows of the same label lie, so labels that overlap in
// space are mixed. Rows whose label is given need no such detour: each label is fitted by itself,
// by everything that a fit without labels has (the ladder, conditional layers, trees, held-out
// rows). The gated layers remain for rows whose label is unknown, and for groups with too few rows
// of a label.
//
// Cost: one more fit of all labeled rows, in parts.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "training/fit_plan.h"

namespace conflux {

/// The rows of one label, of all groups with at least FitOptions::min_cluster of them.
struct LabelPart {
  std::string label = {};
  /// Rows of each group of the set; empty if it takes no part.
  std::vector<std::vector<Index>> rows = {};
};

/// The labels that two groups share, and the target if there is one. None unless the gate is label.
std::vector<LabelPart> label_parts(const GroupSet& groups, const FitOptions& options);

/// The rows of a part without their labels, and what they are fitted with.
GroupSet rows_of(const LabelPart& part, const GroupSet& groups);
FitOptions options_within(const LabelPart& part, const FitOptions& requested);

/// Fits the parts and adds their flows to `fit`, whose groups are those of `groups`.
void fit_within_labels(Fit& fit, const GroupSet& groups, const FitOptions& requested,
                       const FitPlan& plan, const LayerCallback& on_layer);

/// Rows of each group that the fits within labels hold out; empty if none is held out.
std::vector<std::vector<Index>> rows_held_out_within(const GroupSet& groups,
                                                     const FitOptions& requested);

}  // namespace conflux

// The automatic fit: as many layers, of the types that help, until the group cannot be predicted.
//
// First a test decides whether the groups differ at all; if not, the rows stay where they are.
// Sliced layers (INB) come first; validation rows score them by their divergence. On tables,
// conditional layers follow: they find interactions that no direction shows, and stop by themselves
// when the groups differ by no more than chance. Without sliced layers before them they are a
// second candidate, and win unless validation rows, by prediction and distance, favor the sliced
// ones. Trees come last, if validation rows clearly gain by their finer cuts. The chosen layers are
// then fitted once more, with as many layers, to all rows, unless groups are large without those
// held out.
//
// Small groups have no rows to hold out: the number of their sliced layers is found by leaving rows
// out in turn (cross_fit.h), and conditional layers follow until the evidence ends.
//
// A table has at most automatic::kMostTreeFeatures features, and no gate. Rows that are spread over
// several processes get sliced layers only.

#pragma once

#include <string_view>

#include "training/fit_plan.h"

namespace conflux {

/// fit_flow() for methods that try another kind of layer after their own.
Fit fit_automatically(GroupSet groups, const FitOptions& options, Communicator& comm,
                      const LayerCallback& on_layer, const FitPlan& control);

inline constexpr std::string_view kNoDifference =
    "The groups do not differ by more than chance, so there is nothing to align.";
inline constexpr std::string_view kNoDifferenceWarning =
    "the groups do not differ by more than chance: the rows stay where they are. Choose a method, "
    "say inb, to align them all the same.";

/// Whether the groups differ: what the plan knows, or the test of check().
bool groups_differ(const GroupSet& groups, const FitOptions& options, const FitPlan& plan);

/// A fit that leaves the rows where they are; `stop` is the reason. An empty warning is none.
Fit fit_no_layers(const GroupSet& groups, const FitOptions& options, Communicator& comm,
                  std::string_view stop, std::string_view warning);

/// fit_flow() for all other methods: the loop of the paper. A fit that has a `rival` is given up
/// when it is seen that it cannot win.
Fit fit_stack(GroupSet groups, const FitOptions& options, Communicator& comm,
              const LayerCallback& on_layer, const FitPlan& control,
              const std::optional<PredictionRecord>& rival = std::nullopt);

}  // namespace conflux

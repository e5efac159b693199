// A fit with what was decided about it before it began: by a check of the groups, by the choice of
// the rows, by where they are.

#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "conflux/training/fit.h"

namespace conflux {

class DiskScratch;

struct FitPlan : FitControl {
  /// The answer of check() for these rows. Unset: the automatic fit makes the same test, without
  /// knowing which rows are of one subject unless they repeat each other.
  std::optional<bool> groups_differ = std::nullopt;
  /// Clusters found when the gate was chosen, for the record. Null: the fit chooses the gate.
  const ClustersRecord* clusters = nullptr;
  /// Sizes of the groups that the given rows were drawn from (FitOptions::fit_rows), for the
  /// record. Null: the fit draws.
  const std::vector<Index>* drawn_from = nullptr;
  /// Rows of some features (by position; empty: all) with values as coordinates, on which
  /// corrections act that at most shift and scale features. Unset: coordinates are values.
  std::function<GroupSet(const GroupSet&, const std::vector<Index>& features)> plain_values = {};
  /// Called with the rows to fit if the automatic fit has chosen such a correction; puts values in
  /// the place of coordinates.
  std::function<void(GroupSet& groups)> on_linear_rung = {};
  /// Whether Fit::rehearsed is wanted. Ignored unless groups are too small to hold rows out.
  bool rehearse = true;
  /// Where rows are kept during the fit, if not in memory (core/disk_scratch.h); the same bits. For
  /// methods of can_use_scratch() (training/memory.h) with rows that the caller keeps.
  DiskScratch* scratch = nullptr;
};

/// fit_flow() by a plan.
Fit fit_planned(GroupSet groups, const FitOptions& options, Communicator& comm,
                const LayerCallback& on_layer, const FitPlan& plan);

}  // namespace conflux

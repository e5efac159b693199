// Where the automatic fit asks the ladder: which method it becomes.

#pragma once

#include <string_view>

#include "training/fit_plan.h"

namespace conflux {

struct Climb {
  /// Empty if the ladder was not asked.
  LadderRecord ladder = {};
  /// The rows stay where they are, and why.
  bool stay = false;
  std::string_view stop = {};
  std::string_view warning = {};
};

/// Turns the method auto into another one: inb if layers or a strength are given, what the ladder
/// chooses with the goal transfer. Leaves it alone with a gate that was asked for, several
/// processes and fits that go on from a checkpoint. Changes `options`, `clusters` and `plan`
/// accordingly, and the rows if the plan says so (FitPlan::on_linear_rung).
Climb climb_ladder(GroupSet& groups, const FitOptions& requested, FitOptions& options,
                   ClustersRecord& clusters, FitPlan& plan, Communicator& comm);

}  // namespace conflux

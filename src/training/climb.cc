#include "training/climb.h"

#include <utility>

#include "training/automatic.h"
#include "training/inspection.h"
#include "training/ladder.h"
#include "training/resumption.h"

namespace conflux {

namespace {

/// Whether the caller left the gate to the fit; what was found then has a reason.
bool gate_was_open(const FitOptions& requested, const KindsRecord& kinds) {
  return requested.gate == Gating::kAuto ||
         (requested.gate != Gating::kLabel && !kinds.reason.empty());
}

/// One rung of the ladder, fitted on a sample of rows.
Fit fit_rung(const GroupSet& sample, const FitOptions& options) {
  SelfCommunicator alone;
  FitPlan plan;
  plan.groups_differ = true;
  plan.rehearse = false;
  return fit_planned(sample, options, alone, {}, plan);
}

}  // namespace

Climb climb_ladder(GroupSet& groups, const FitOptions& requested, FitOptions& options,
                   KindsRecord& kinds, FitPlan& plan, Communicator& comm) {
  Climb out;
  if (plan.resume != nullptr) {
    out.ladder = plan.resume->record.ladder;
    const bool replaced = plan.resume->record.options.method != Method::kAuto;
    if (options.method == Method::kAuto && replaced) {
      options = options_to_resume(plan.resume->record.options, requested);
    }
    return out;
  }
  const bool open = gate_was_open(requested, kinds);
  const bool asked = options.method == Method::kAuto && (options.layers || options.strength);
  if (comm.size() > 1 || !(asked || has_ladder(groups, options, open))) return out;
  begin_fit(groups, all_rows(groups), options, comm);  // refuses what cannot be fitted
  if (!groups_differ(groups, options, plan)) {
    return {.stay = true, .stop = kNoDifference, .warning = kNoDifferenceWarning};
  }
  if (asked) {
    options.method = Method::kInb;
    options = without_ignored(options);
    return out;
  }
  plan.groups_differ = true;
  LadderChoice choice = choose_rung(groups, options, options.gate == Gating::kKinds, fit_rung,
                                    plan.plain_values, Workers(options.threads));
  out.ladder = std::move(choice.record);
  options = std::move(choice.options);
  if (options.gate != Gating::kKinds) kinds.reason.clear();  // the ladder gives the reasons
  if (choice.none) {
    out.stay = true;
    out.stop = "Held-out rows support no correction.";
  }
  if (choice.linear && plan.on_linear_rung) plan.on_linear_rung(groups);
  return out;
}

}  // namespace conflux

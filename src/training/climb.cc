#include "training/climb.h"

#include <fmt/format.h>

#include <utility>

#include "conflux/core/error.h"
#include "training/automatic.h"
#include "training/inspection.h"
#include "training/ladder.h"
#include "training/resumption.h"

namespace conflux {

namespace {

/// Whether the caller left the gate to the fit; what was found then has a reason.
bool gate_was_open(const FitOptions& requested, const ClustersRecord& clusters) {
  return requested.gate == Gating::kAuto ||
         (requested.gate != Gating::kLabel && !clusters.reason.empty());
}

/// The cascade stops each kind of layer by held-out rows, so neither could be obeyed.
void refuse_cascade_by_numbers(const FitOptions& requested) {
  if (requested.method != Method::kCascade || !(requested.layers || requested.strength)) return;
  throw InvalidOption(fmt::format(
      "{} is {} but cascade finds its layers and how far they move by held-out rows; leave it out, "
      "or choose inb.",
      requested.layers ? "layers" : "strength",
      requested.layers ? fmt::to_string(*requested.layers)
                       : fmt::format("{}", *requested.strength)));
}

/// One rung of the ladder, fitted on a sample of rows.
Fit fit_rung(const GroupSet& sample, FitOptions options) {
  SelfCommunicator alone;
  options.amount = 1;
  FitPlan plan;
  plan.groups_differ = true;
  plan.rehearse = false;
  return fit_planned(sample, options, alone, {}, plan);
}

}  // namespace

Climb climb_ladder(GroupSet& groups, const FitOptions& requested, FitOptions& options,
                   ClustersRecord& clusters, FitPlan& plan, Communicator& comm) {
  Climb out;
  if (plan.resume != nullptr) {
    out.ladder = plan.resume->record.ladder;
    const bool replaced = plan.resume->record.options.method != Method::kAuto;
    if (options.method == Method::kAuto && replaced) {
      options = options_to_resume(plan.resume->record.options, requested);
    }
    return out;
  }
  refuse_cascade_by_numbers(requested);
  const bool kept = groups.covariates() > 0 && options.method == Method::kAuto;
  const bool open = gate_was_open(requested, clusters);
  const bool asked = options.method == Method::kAuto && (options.layers || options.strength);
  if (comm.size() > 1 || !(asked || kept || has_ladder(groups, options, open))) return out;
  begin_fit(groups, all_rows(groups), options, comm);  // refuses what cannot be fitted
  if (!groups_differ(groups, options, plan)) {
    if (plan.on_linear_rung) plan.on_linear_rung(groups);  // nothing is moved, not even spread
    return {.stay = true, .stop = kNoDifference, .warning = kNoDifferenceWarning};
  }
  if (asked) {
    options.method = Method::kInb;
    if (kept) options.gate = Gating::kKept;
    options = without_ignored(options);
    return out;
  }
  plan.groups_differ = true;
  LadderChoice choice = choose_rung(groups, options, options.gate == Gating::kClusters, fit_rung,
                                    plan.plain_values, Workers(options.threads));
  out.ladder = std::move(choice.record);
  options = std::move(choice.options);
  if (options.gate != Gating::kClusters) clusters.reason.clear();  // the ladder gives the reasons
  if (choice.none) {
    out.stay = true;
    out.stop = "Held-out rows support no correction.";
  }
  if (choice.linear && plan.on_linear_rung) plan.on_linear_rung(groups);
  return out;
}

}  // namespace conflux

// Learns one invertible map per group into a shared space where all groups look alike.
//
//   GroupSet groups;
//   groups.add("monday", monday);
//   groups.add("tuesday", tuesday);
//   const Fit fit = fit_flow(groups, {});
//   const Matrix as_tuesday = fit.flow.translate(0, 1, monday, Workers());
//
// Every method is a sequence of layers; see FitOptions for the choices and docs/math.md for the
// formulas. The same data, options and seed give the same bits on any number of threads.

#pragma once

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/flow/flow.h"
#include "conflux/models/fit_record.h"
#include "conflux/models/options.h"

namespace conflux {

struct Fit {
  Flow flow;
  FitRecord record;
};

/// Throws InvalidData or InvalidOption with a sentence that says what to do.
Fit fit_flow(const GroupSet& groups, const FitOptions& options);

/// The same over the processes of `comm`, each of which holds some rows of every group. The
/// callback may be empty.
Fit fit_flow(const GroupSet& groups, const FitOptions& options, Communicator& comm,
             const LayerCallback& on_layer);

}  // namespace conflux

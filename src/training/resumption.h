// Whether a fit may go on from an earlier one, or together with other processes: only with the same
// options and the same data does it end with the bits of a fit without a break.

#pragma once

#include "conflux/training/fit.h"

namespace conflux {

/// Throws InvalidOption that names the first option which differs. Threads may: they do not change
/// the bits of a fit.
void check_same_options(const FitOptions& earlier, const FitOptions& now);

/// The options of the earlier fit with the threads of this one. Throws InvalidOption if an option
/// that the caller has set differs from them.
FitOptions options_to_resume(const FitOptions& earlier, const FitOptions& requested);

/// Throws InvalidOption on all processes if one was given another option than the first.
void check_same_requests(const FitOptions& options, Communicator& comm);

/// Throws InvalidData unless groups, features and numbers of rows are the same.
void check_same_groups(const Fit& earlier, const Fit& now);

}  // namespace conflux

// Checks of the data before a fit: whether they can be aligned at all, whether they lie in the unit
// cube, and warnings.

#pragma once

#include <string>
#include <vector>

#include "conflux/training/fit.h"
#include "fitting/row_choice.h"

namespace conflux {

/// A fit without layers: checked groups, their sizes, and options with nothing left open. Throws
/// InvalidData and InvalidOption.
Fit begin_fit(const GroupSet& groups, const RowChoice& usable, const FitOptions& requested,
              Communicator& comm);

/// Sentences about groups too small for what is fitted, features that a group lacks, and features
/// in unlike units. `chosen` rows are fitted.
std::vector<std::string> find_warnings(const GroupSet& groups, const RowChoice& chosen,
                                       const RowPlaces& places, const FitOptions& options,
                                       Communicator& comm);

}  // namespace conflux

// Parts of the search for directions that all layer types use.

#pragma once

#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/options/options.h"
#include "fitting/layer_kinds.h"
#include "slicing/direction_search.h"

namespace conflux {

/// Half of the weights in the barycenter, half even: groups without weight are moved too, and must
/// be seen.
std::vector<double> search_weights(const FitOptions& options);

/// How a search climbs, as resolved options say.
SearchOptions search_options(const FitOptions& options);

/// Gives all processes the frame of the first. They search alone on the same sample; processors of
/// different kinds may round differently.
void share(Frame& frame, Communicator& comm);

/// A candidate with the figures of its search, and no layers yet.
Fitted from_search(const SearchResult& found);

}  // namespace conflux

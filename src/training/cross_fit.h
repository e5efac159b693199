// How many layers groups deserve that are too small to hold rows out for good.
//
// The rows are split into parts. For each part all others are fitted, and the part, which no map
// has seen, is moved along and judged after every layer. The number of layers that brings the parts
// nearest is then fitted to all rows.
//
// Cost: about as many fits as there are parts, which end early; large groups are thinned.

#pragma once

#include "conflux/training/fit.h"

namespace conflux {

/// The number of layers after which held-out rows of different groups are closest; 0: none does.
/// For options that hold no rows out and have no gate. Unset when fewer than two groups have enough
/// rows to be split, when rows go through the unit cube, or when the callback wishes to end.
std::optional<Index> layers_by_cross_fit(const GroupSet& groups, const FitOptions& resolved,
                                         const LayerCallback& on_layer, const Workers& workers);

/// Two halves of every group, of large ones some rows. Groups of fewer than ten rows are fitted as
/// they are, and have none that are unseen.
///
/// A fit of one half, and the rows of the other, estimate the scores of new rows. Cross-validation
/// over all parts would underestimate differences between groups: an excess in one part is a
/// deficit in the training rows of its fit.
struct Halves {
  GroupSet fitted = {};
  GroupSet unseen = {};
};

Halves halve_rows(const GroupSet& groups, std::uint64_t seed);

}  // namespace conflux

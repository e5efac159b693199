// Density destructors (DD): every group by itself to the uniform law, layer by layer.
//
// Groups meet because all of them end at the same law; nothing is learned from one about another,
// so a group more or less changes no map. A stage first flattens what the stage before has left,
// feature by feature, with a histogram of strong pseudo-counts, then whitens the normal scores
// along principal axes (or along random ones, flattening afterwards). The log-determinants of the
// way to the uniform law are log-densities.
//
// Cost per stage and group: rows x dim^2 for a covariance and as much to apply it, and one
// symmetric eigenvalue problem of size dim.

#pragma once

#include "conflux/options/options.h"

namespace conflux {

/// Whether a flow of density destructors ends at the normal law instead of the uniform one.
bool ends_at_normal_law(const FitOptions& options);

}  // namespace conflux

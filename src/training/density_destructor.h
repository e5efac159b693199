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

#include <memory>
#include <vector>

#include "conflux/training/fit.h"
#include "conflux/training/model.h"
#include "fitting/line_maps.h"

namespace conflux {

/// fit_flow() for Method::kDd.
Fit fit_density_destructors(GroupSet groups, const FitOptions& options, Communicator& comm,
                            const LayerCallback& on_layer, const FitControl& control);

/// Layer `position` of a DD flow with a map of one more group, fitted on the only group of `group`
/// as the layers before have left it. `options` are those of the fit, resolved.
std::shared_ptr<const Layer> with_destructor(const std::shared_ptr<const Layer>& layer,
                                             Index position, const GroupSet& group,
                                             const RowChoice& chosen, const FitOptions& options,
                                             const Workers& workers);

}  // namespace conflux

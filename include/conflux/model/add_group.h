// Maps of a group that the fit has not seen.
//
// Every layer keeps the barycenter that its maps lead to. A new group is moved there layer by
// layer: its map of a layer is fitted on its rows as its maps of the layers before have left them.
// The maps of the old groups stay as they are, bit by bit; the new group has weight 0 in the
// barycenters. Rows that equal those of an old group get the maps of that group.
//
// Cost: one sort of the rows per line; no search.

#pragma once

#include <span>
#include <string>

#include "conflux/core/parallel.h"
#include "conflux/model/model.h"

namespace conflux {

/// The model with one more group, the last. Throws InvalidOption when the name is taken, and
/// InvalidData when the rows do not suit or a layer has no barycenter. Empty `weights` means that
/// all rows count alike.
Model add_group(const Model& model, const std::string& name, SampleRows rows,
                std::span<const double> weights, const Workers& workers);

/// The same for a model that knows columns, from a table that has them: it also learns what the
/// group holds.
Model add_group(const Model& model, const std::string& name, const Table& table,
                const Workers& workers, std::span<const double> weights = {});

}  // namespace conflux

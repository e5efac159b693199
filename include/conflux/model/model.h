// A fit with the names it needs to be used again: what a model file holds.

#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "conflux/columns/columns.h"
#include "conflux/components/components.h"
#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "conflux/training/fit.h"

namespace conflux {

struct Model {
  Flow flow;
  FitRecord record;
  /// One per column; empty when the features were not named.
  std::vector<std::string> feature_names = {};
  /// Columns of the table that say which group a row is of and what it shows; empty when there are
  /// none.
  std::string group_column = {};
  std::string label_column = {};
  /// The principal components, if these are the features; empty if the features were measured.
  Components components = {};
  /// Types, units and scales of the table's columns; empty when rows are coordinates already.
  Columns columns = {};
  /// Further text that a caller stores with the model.
  std::map<std::string, std::string> metadata = {};
};

/// Moves rows by this fraction of their way from now on, whatever was chosen in the fit. Throws
/// InvalidOption outside [0, 1], and for models that have no parts: density destructors.
void set_amount(Model& model, double amount);

// Densities of rows under a model of density destructors (DD).

/// Log-density of each row under the model of its group; `groups` has one group per row, or a
/// single one for all rows. Where the latent space is the unit cube, the law there is uniform up to
/// the margin; the little mass beyond decays like a normal law, so that densities are positive
/// everywhere and integrate to 1. Throws InvalidOption unless the model was fitted by DD.
std::vector<double> log_density(const Model& model, std::span<const Index> groups,
                                const SampleRows& rows, const Workers& workers);
inline std::vector<double> log_density(const Model& model, Index group, const SampleRows& rows,
                                       const Workers& workers) {
  return log_density(model, std::span<const Index>(&group, 1), rows, workers);
}

// Maps of a group that the fit has not seen.
//
// Every layer keeps the barycenter that its maps lead to. A new group is moved there layer by
// layer: its map of a layer is fitted on its rows as its maps of the layers before have left them.
// The maps of the old groups stay as they are, bit by bit; the new group has weight 0 in the
// barycenters. Rows that equal those of an old group get the maps of that group.
//
// Cost: one sort of the rows per line; no search.

/// The model with one more group, the last. Throws InvalidOption if the name is taken, and
/// InvalidData if the rows do not fit the model or a layer has no barycenter. Empty `weights`: all
/// rows have the same weight.
Model add_group(const Model& model, const std::string& name, SampleRows rows,
                std::span<const double> weights, const Workers& workers);

/// The same for a model with columns, from a table that has them; the model also stores the values
/// of the group.
Model add_group(const Model& model, const std::string& name, const Table& table,
                const Workers& workers, std::span<const double> weights = {});

}  // namespace conflux

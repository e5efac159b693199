// Gates, and layers that move like with like.
//
// A gate is chosen first: some random combinations of the directions along which rows vary most
// within their groups, and cells found by k-means on all rows together. Directions are then
// searched in what the gate does not see, for the largest difference between groups within cells,
// and maps are fitted cell by cell.

#pragma once

#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "conflux/core/rng.h"
#include "conflux/flow/gated_layer.h"
#include "conflux/models/line_maps.h"
#include "conflux/models/options.h"
#include "conflux/stiefel/ascent.h"

namespace conflux {

struct GateSettings {
  Index cells = 8;
  /// Gating directions; the layer's own directions need room beside them.
  Index gating = 10;
  /// Cells overlap by as much as spheres of their mean width would, times this.
  double softness = 1;
  /// A group with less mass in a cell, in rows, stays as it is there.
  double min_cell = 30;
};

/// As resolved options say, for data with `dim` features. No gating directions: no room for a gate.
GateSettings gate_settings(const FitOptions& options, Index dim);

/// Orthonormal columns along which rows vary most around the means of their groups, largest first;
/// at most `count`.
Matrix gating_basis(const GroupSet& groups, const RowChoice& chosen,
                    const std::vector<double>& weights, Index count, Communicator& comm,
                    const Workers& workers);

/// `chosen` rows take part in k-means.
Gate fit_gate(const GroupSet& groups, const RowChoice& chosen, const Matrix& basis,
              const GateSettings& settings, Stream& stream, Communicator& comm,
              const Workers& workers);

/// Fraction of the groups' mass that lies in cells which at least two groups share. Gating on cells
/// that are single groups would align nothing.
double shared_mass(const GroupSet& groups, const RowChoice& chosen, const Gate& gate,
                   const std::vector<double>& weights, const GateSettings& settings,
                   Communicator& comm, const Workers& workers);

struct GatedSearch {
  Frame frame;
  double start_value = 0;
  double value = 0;
  Index steps = 0;
  Index evaluations = 0;
  Index passes = 0;
};

/// Directions orthogonal to the gate along which groups differ most within cells.
GatedSearch find_gated_directions(const GroupSet& groups, const RowChoice& chosen, const Gate& gate,
                                  const std::vector<double>& weights, Index directions,
                                  const AscentOptions& ascent, Stream& stream, Communicator& comm,
                                  const Workers& workers);

GatedLayer fit_gated_layer(const GroupSet& groups, const RowChoice& chosen, const Frame& frame,
                           const Gate& gate, double strength, const GateSettings& settings,
                           const FitOptions& options, Communicator& comm, const Workers& workers);

/// The layer with a map of the only group of `group` towards the barycenters of the cells.
GatedLayer with_group(const GatedLayer& layer, const GroupSet& group, const RowChoice& chosen,
                      double strength, const GateSettings& settings, const Workers& workers);

}  // namespace conflux

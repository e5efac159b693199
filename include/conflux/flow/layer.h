// One invertible step of a flow.
//
// A layer holds one map of R^d per group. It moves rows in place; the image of a row does not
// depend on the rows around it. Const calls are thread-safe.

#pragma once

#include <memory>
#include <string_view>

#include "conflux/core/matrix.h"

namespace conflux {

class Layer {
 public:
  virtual ~Layer() = default;

  virtual std::string_view kind() const = 0;
  virtual Index dim() const = 0;
  /// Groups that it has a map of; 0 when every group has the same map.
  virtual Index num_groups() const = 0;
  /// A translation between groups may skip such a layer when it comes last.
  bool same_for_all_groups() const { return num_groups() == 0; }
  /// Whether NaN may stand for a coordinate that is missing: it stays NaN, and the others go and
  /// return as exactly as ever. Layers that mix coordinates cannot promise that.
  virtual bool takes_gaps() const { return false; }

  /// Moves rows of `group` towards the shared space; adds log |det J| of each row to `log_det`
  /// unless that is null.
  virtual void forward(Index group, Rows rows, double* log_det) const = 0;
  /// Moves rows back; adds log |det J| of the inverse map.
  virtual void inverse(Index group, Rows rows, double* log_det) const = 0;

  /// The layer whose maps go this fraction of the way of its own, from above 0 to below 1. It moves
  /// rows of each group between where they are and where this layer moves them, and is as
  /// invertible. Null: the layer has no such part.
  virtual std::shared_ptr<const Layer> part(double amount) const {
    static_cast<void>(amount);
    return nullptr;
  }
};

}  // namespace conflux

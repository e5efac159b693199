// The groups on their way to the shared space: a copy that layers move.
//
// A sliced layer needs the projections of all rows twice, to fit its maps and to move the rows;
// they are made once. Moving has the bits of Layer::forward().

#pragma once

#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "conflux/flow/sliced_layer.h"

namespace conflux {

/// Of each group, row k holds the projections of all its rows on direction k.
using Projections = std::vector<Matrix>;

class Latent {
 public:
  explicit Latent(const GroupSet& groups);

  const GroupSet& groups() const { return view_; }

  void move(const Layer& layer, const Workers& workers);

  /// One pass over the rows.
  Projections project(const Frame& frame, const Workers& workers) const;
  /// The same as move(), with the projections on the layer's frame. They are moved too: what they
  /// hold afterwards are the projections of the moved rows.
  void move_along(const SlicedLayer& layer, Projections& projections, const Workers& workers);

 private:
  std::vector<Matrix> rows_;
  GroupSet view_;
};

}  // namespace conflux

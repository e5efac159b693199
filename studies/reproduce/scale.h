// How large an experiment is run: as published, or smaller to see that everything works.

#pragma once

#include <algorithm>
#include <string>

#include "conflux/core/index.h"

namespace conflux::app {

struct Scale {
  std::string name = "full";
  /// Rows of each group; 0 takes all.
  Index train_rows = 0;
  Index test_rows = 0;
  /// Images of 28 x 28 are averaged over squares of this side.
  Index shrink = 1;
  /// Layers are divided by this.
  Index fewer_layers = 1;
  Index search_steps = 200;
  int runs = 5;
  /// Repetitions of the convergence figure.
  int repetitions = 20;

  /// With the published layers and searches, even if rows are fewer.
  bool full() const { return fewer_layers == 1; }
  Index layers(Index published) const {
    return published == 1 ? 1 : std::max<Index>(2, published / fewer_layers);
  }
};

inline Scale quick_scale() { return {"quick", 250, 125, 2, 10, 20, 2, 4}; }
inline Scale tiny_scale() { return {"tiny", 40, 20, 4, 15, 3, 1, 2}; }

}  // namespace conflux::app

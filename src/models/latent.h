// The groups of a fit on their way to the shared space: a copy that layers move.

#pragma once

#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/flow/flow.h"

namespace conflux {

class Latent {
 public:
  explicit Latent(const GroupSet& groups) {
    for (Index m = 0; m < groups.num_groups(); ++m) rows_.emplace_back(groups[m].rows.eigen());
    for (Index m = 0; m < groups.num_groups(); ++m) {
      view_.add(groups[m].name, ConstRows(rows_[m]), groups[m].weights);
    }
  }

  const GroupSet& groups() const { return view_; }

  void move(const Layer& layer, const Workers& workers) {
    for (Index m = 0; m < view_.num_groups(); ++m) {
      forward_in_place(layer, m, Rows(rows_[m]), workers);
    }
  }

 private:
  std::vector<Matrix> rows_;
  GroupSet view_;
};

}  // namespace conflux

// Moves the test rows by a trained method: a flow, or networks without an inverse.

#pragma once

#include <vector>

#include "conflux/core/parallel.h"
#include "conflux/flow/flow.h"

namespace conflux::app {

class Translator {
 public:
  virtual ~Translator() = default;

  /// The first `count` test rows of a group as rows of another one, or of their own again.
  virtual Matrix first_translated(Index from, Index to, Index count) const = 0;
  virtual Matrix translate(Index from, Index to, const Matrix& rows) const = 0;
  /// The test rows of each group in the space that all share; empty where there is none, and no way
  /// back either.
  virtual const std::vector<Matrix>& shared() const = 0;
};

/// Keeps test rows in the shared space, since they leave it for every group.
class FlowTranslator final : public Translator {
 public:
  FlowTranslator(const Flow& flow, const GroupSet& test, const Workers& workers)
      : flow_(flow), workers_(workers) {
    for (Index m = 0; m < test.num_groups(); ++m) {
      shared_.push_back(flow.forward(m, test[m].rows, workers));
    }
  }

  Matrix first_translated(Index from, Index to, Index count) const override {
    const Matrix few = shared_[static_cast<std::size_t>(from)].topRows(count);
    return flow_.inverse(to, few, workers_);
  }
  Matrix translate(Index from, Index to, const Matrix& rows) const override {
    return flow_.translate(from, to, rows, workers_);
  }
  const std::vector<Matrix>& shared() const override { return shared_; }

 private:
  const Flow& flow_;
  const Workers& workers_;
  std::vector<Matrix> shared_;
};

}  // namespace conflux::app

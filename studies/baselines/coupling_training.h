// Trains couplings by likelihood: rows of a group pass a chain of them and end normal.
//
// Minimized is the sum over groups of the mean of |z|^2 / 2 - log |det|, in single precision, by
// Adam on batches that are drawn at random. A tenth of each group's rows is never trained on: what
// is kept are the parameters by which these rows are likeliest, since likelihood fits noise when it
// may. For the same reason parameters shrink a little in every step. Chains may share couplings.
//
// Cost per pass: six operations per row and parameter of its chain.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "conflux/core/index.h"
#include "conflux/core/matrix.h"

namespace conflux {

/// Which features a coupling moves.
using CouplingMask = std::vector<bool>;

/// A group on its way to the normal law.
struct Chain {
  /// Mean zero and deviation one in every feature.
  MatrixOf<float> rows;
  /// Mass of each row; mean one.
  std::vector<float> masses;
  /// Deviation of the noise that blurs each feature in training. Values that repeat have no density
  /// without.
  std::vector<float> blur;
  /// The couplings that the rows pass.
  std::vector<Index> couplings;
};

struct TrainingPlan {
  /// Coupling c moves the features of masks[c % masks.size()].
  std::vector<CouplingMask> masks;
  Index num_couplings = 0;
  Index hidden = 0;
  /// Passes over the rows at most.
  Index epochs = 0;
  /// Names the random numbers.
  std::uint64_t seed = 0;
  /// Called after every pass.
  std::function<void()> after_pass = [] {};
};

/// The parameters of each coupling's network (baselines/dense_net.h), without padding.
using CouplingParameters = std::vector<std::vector<double>>;

CouplingParameters train_couplings(const std::vector<Chain>& chains, const TrainingPlan& plan);

/// `count` masks: a random half of the features, then the other half, and so on.
std::vector<CouplingMask> draw_masks(Index dim, Index count, std::uint64_t seed);

}  // namespace conflux

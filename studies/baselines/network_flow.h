// Flows of trained networks, which stand in the paper's comparison: RealNVP, LRMF and AlignFlow.
//
// RealNVP leads every group to the normal law by itself; AlignFlow does so while critics tell
// translated rows from real ones; LRMF leads all groups to one of them, by the likelihood of both.
// All are made of couplings, with exact inverses. docs/math.md has the formulas.
//
// Rows that all lie in the unit cube are moved as normal scores, except by LRMF.
//
// Promise: the same bits on any number of threads. Cost per pass: six operations per row and
// parameter, twelve with critics and for LRMF.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "conflux/flow/flow.h"

namespace conflux {

enum class NetworkKind { kRealnvp, kLrmf, kAlignflow };

struct NetworkOptions {
  NetworkKind kind = NetworkKind::kRealnvp;
  /// Couplings that a group passes: each moves half of the features by a network of the other half.
  Index couplings = 8;
  /// Values in each of the two hidden layers of a coupling's network; 0: usual_hidden().
  Index hidden = 0;
  /// Passes over the rows; held-out rows end the training sooner, except with critics. 0: 1000, and
  /// with critics 30, or more for 2400 steps.
  Index epochs = 0;
  /// AlignFlow: how much likelihood counts beside the answers of critics; negative: 0.0784 /
  /// features, the published weight for 784 pixels.
  double likelihood_weight = -1;
  /// LRMF: the group that all others move to; negative: the last one.
  Index target = -1;
  std::uint64_t seed = 0;
};

/// As many as features, from 64 to 256.
Index usual_hidden(Index dim);

struct NetworkFit {
  Flow flow;
  /// With the numbers that were chosen.
  NetworkOptions options;
  std::vector<std::string> warnings;
  double seconds = 0;
};

/// `on_pass` hears of every pass over the rows. Throws InvalidOption for a single feature.
NetworkFit fit_networks(const GroupSet& groups, const NetworkOptions& options,
                        const Workers& workers,
                        const std::function<void(Index done, Index most)>& on_pass = {});

}  // namespace conflux

// Trains couplings against critics (AlignFlow): translated rows are to pass for real ones.
//
// In every step each group is translated to another one, the flows take a step against what they
// lose (baselines/translation_game.h), then the critics a step against what they lose. Neither loss
// says how good translations are, and these may become worse again: after each pass up to 500 rows
// of each group are translated, and the running mean of the parameters is kept by which they are
// nearest to real ones (energy distance). All passes are made; in the second half of them steps
// become shorter, down to nothing, so that players come to rest.
//
// Cost per pass: twelve operations per row and parameter of a flow.

#pragma once

#include <vector>

#include "baselines/coupling_training.h"
#include "baselines/translation_game.h"

namespace conflux {

/// Rows of a group that a step looks at.
inline constexpr Index kBatchOfCritics = 64;

struct CriticPlan {
  /// One flow per group, each with plan.num_couplings couplings.
  TrainingPlan flows;
  /// Weight of the likelihood beside the critic's answer.
  double lambda = 0;
  /// How the critic of each group sees its rows.
  std::vector<networks::CriticView<float>> views;
};

/// Parameters of each group's couplings. Chains share nothing; their `couplings` do not matter.
std::vector<CouplingParameters> train_against_critics(const std::vector<Chain>& chains,
                                                      const CriticPlan& plan);

}  // namespace conflux

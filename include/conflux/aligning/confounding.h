// How well covariates predict the group, and where a group has no rows with similar covariates, so
// that their effects are extrapolated. Computed before groups are aligned given the covariates.

#pragma once

#include <string>
#include <vector>

#include "conflux/dataset/dataset.h"

namespace conflux {

/// Range of a kept number in one group.
struct CovariateRange {
  std::string column = {};
  std::string group = {};
  double low = 0;
  double high = 0;
  /// Fraction of the group's rows outside of the range that all groups share.
  double outside = 0;
};

struct Confounding {
  /// How well the covariates alone predict the group (AUC), and what 95 % of random assignments
  /// stay below; unset if groups have too few rows.
  std::optional<double> auc = std::nullopt;
  std::optional<double> auc_by_chance = std::nullopt;
  /// One sentence with these figures; empty without them.
  std::string sentence = {};
  /// Range of every kept number that is not cyclic, in every group.
  std::vector<CovariateRange> ranges = {};
  /// One sentence for each reason why effects of covariates and of groups can hardly be separated.
  std::vector<std::string> warnings = {};
};

/// Nothing for a dataset without covariates. Cost: a prediction of the group of at most 20,000
/// rows.
Confounding find_confounding(const Dataset& data, std::uint64_t seed = 0, int threads = 0);

}  // namespace conflux

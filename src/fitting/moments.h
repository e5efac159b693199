// Means and covariances of groups whose rows may be spread over processes.

#pragma once

#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "fitting/line_maps.h"

namespace conflux {

struct Moments {
  std::vector<Vector> means;
  /// Without bias: rows of equal mass are divided by their number less one.
  std::vector<Matrix> covariances;
  /// Covariances times these are means of squares, the estimate of largest likelihood.
  std::vector<double> shrinkage;
};

/// Means and variances of every feature of one group by itself.
struct FeatureMoments {
  Vector means;
  /// Without bias, as above; 0 exactly where all values are the same.
  Vector variances;
  /// How many rows of equal mass tell as much about a mean: all, if masses are equal.
  double rows = 0;

  /// Variances times this are means of squares.
  double bias() const { return 1 - 1 / rows; }
};

std::vector<FeatureMoments> fit_feature_moments(const GroupSet& groups, const RowChoice& chosen,
                                                Communicator& comm);

/// The same of what covariates, the last coordinates of the rows, leave of the features: without
/// what they predict by `slopes`, one row per covariate, to which each group adds its own.
std::vector<FeatureMoments> fit_feature_moments(const GroupSet& groups, const RowChoice& chosen,
                                                const Matrix& slopes,
                                                const std::vector<Matrix>& own_slopes,
                                                Communicator& comm);

/// Slopes of the features over the covariates of the set within groups, all of which have the same
/// slopes: one row per covariate; nothing if there are none.
Matrix fit_covariate_slopes(const GroupSet& groups, const RowChoice& chosen, Communicator& comm);

Moments fit_moments(const GroupSet& groups, const RowChoice& chosen, Communicator& comm,
                    const Workers& workers);

}  // namespace conflux

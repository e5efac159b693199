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

Moments fit_moments(const GroupSet& groups, const RowChoice& chosen, Communicator& comm,
                    const Workers& workers);

}  // namespace conflux

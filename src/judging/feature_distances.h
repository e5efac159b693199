// How far groups are apart feature by feature, and how wide they are, as cytometrists look at it.

#pragma once

#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/model/model.h"

namespace conflux {

/// In the unit of the feature, or of its arcsinh if the model has one.
struct FeatureDistance {
  std::string name;
  /// Earth mover's distance (W1), the mean over pairs of groups: before, in the shared space, and
  /// there with groups assigned at random.
  double emd_before = 0;
  double emd_after = 0;
  double emd_by_chance = 0;
  /// Median absolute deviation from the median, the mean over groups.
  double mad_before = 0;
  double mad_after = 0;
};

std::vector<FeatureDistance> feature_distances(const Model& model, const GroupSet& groups,
                                               std::uint64_t seed, int threads);

}  // namespace conflux

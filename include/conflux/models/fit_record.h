// What happened during a fit.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conflux/models/options.h"

namespace conflux {

struct LayerRecord {
  Index layer = 0;
  std::string kind;
  /// Mean spread of the groups along the layer's directions (squared Wasserstein distance to the
  /// barycenter): at the start of the search, where it ended, and there after the layer has moved
  /// the groups. Zero for layers without a search.
  double spread_at_start = 0;
  double spread_before = 0;
  double spread_after = 0;
  Index steps = 0;
  Index evaluations = 0;
  Index passes = 0;
  double seconds = 0;
};

struct FitRecord {
  /// As used, nothing left unset except bins, which depend on the layer.
  FitOptions options;
  /// Rows of each group, over all processes.
  std::vector<Index> group_sizes;
  std::vector<LayerRecord> layers;
  /// Sentences about what a user should know before trusting the result.
  std::vector<std::string> warnings;
  double seconds = 0;
};

/// Called after every layer; return false to end the fit with the layers so far.
using LayerCallback = std::function<bool(const LayerRecord&)>;

}  // namespace conflux

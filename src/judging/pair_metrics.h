// Metrics between two clouds, by name.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

struct PairMetricSettings {
  /// Rows per block of exact distances; 0: as the metric chooses.
  Index block = 0;
  std::uint64_t seed = 0;
};

struct PairMetric {
  std::string name;
  std::function<double(ConstRows, ConstRows, const PairMetricSettings&, const Workers&)> distance;
  /// Looks at features of the rows where there are some.
  bool of_features = false;
};

const std::vector<PairMetric>& pair_metrics();

}  // namespace conflux

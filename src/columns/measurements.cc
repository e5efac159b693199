#include "columns/measurements.h"

#include <algorithm>

namespace conflux {

bool looks_like_measurements(const Columns& columns) {
  const auto& features = columns.features;
  if (std::any_of(features.begin(), features.end(), [](const auto& f) { return f.category(); })) {
    return false;
  }
  const auto count = static_cast<Index>(features.size());
  const Index numbers = std::count_if(features.begin(), features.end(), [](const Feature& each) {
    return each.kind == FeatureKind::kNumber;
  });
  return count >= kManyFeatures || 2 * numbers >= count;
}

}  // namespace conflux

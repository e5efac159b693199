#include "columns/measurements.h"

#include <algorithm>

namespace conflux {

namespace {

// A value that this fraction of the rows of a group share is no measurement but an answer.
constexpr double kTie = 0.05;

}  // namespace

bool looks_like_measurements(const Columns& columns) {
  const auto& features = columns.features;
  if (std::any_of(features.begin(), features.end(), [](const auto& f) { return f.category(); })) {
    return false;
  }
  const auto count = static_cast<Index>(features.size());
  const Index with_ties = std::count_if(features.begin(), features.end(), [](const Feature& each) {
    return std::any_of(each.atoms.begin(), each.atoms.end(),
                       [](const Atom& atom) { return atom.share >= kTie; });
  });
  return count >= kManyFeatures || 2 * with_ties < count;
}

}  // namespace conflux

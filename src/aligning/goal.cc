#include "aligning/goal.h"

#include <fmt/format.h>

#include <algorithm>

namespace conflux {

namespace {

// Answers, grades and counts of persons have few values; counts of words and of molecules have few
// values too, but come in hundreds of columns.
constexpr std::size_t kMostCodes = 10;
constexpr std::size_t kMostColumnsOfRecords = 64;
constexpr double kFewestCodes = 0.25;

bool is_code(const Feature& feature) {
  return feature.kind == FeatureKind::kWhole && !feature.held.empty() &&
         std::all_of(feature.held.begin(), feature.held.end(), [](const HeldValues& held) {
           return !held.values.empty() && held.values.size() <= kMostCodes;
         });
}

}  // namespace

std::string why_hide(const Dataset& data) {
  const std::vector<Feature>& features = data.columns.features;
  // Held-out pixels follow from their neighbors, whatever an alignment does (ten digits: the group
  // AUC stays at 0.998).
  if (data.columns.pixels) return fmt::format("its {} columns are pixels", features.size());
  const auto total = static_cast<double>(features.size());
  const auto categories = std::count_if(features.begin(), features.end(),
                                        [](const Feature& each) { return each.category(); });
  if (categories > 0) {
    return fmt::format("{} of {} columns {} categories", categories, features.size(),
                       categories == 1 ? "has" : "have");
  }
  const auto codes = std::count_if(features.begin(), features.end(), is_code);
  if (features.size() > kMostColumnsOfRecords ||
      static_cast<double>(codes) < kFewestCodes * total || codes == 0) {
    return "";
  }
  return fmt::format("{} of {} columns are codes of at most {} whole numbers", codes,
                     features.size(), kMostCodes);
}

}  // namespace conflux

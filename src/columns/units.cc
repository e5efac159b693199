#include "columns/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "columns/feature_scales.h"

namespace conflux {

namespace {

// A value that this share of a group has leaves an increasing map nothing to move; normal scores
// give it the room of its mass.
constexpr double kDominantShare = 0.05;
// The outer thousandths of a normal law lie 3.1 spreads from its median, of an exponential law 7.6.
constexpr double kHeavyTails = 12;
// Spreads that differ by less than this factor look the same to the search for directions.
constexpr double kAlike = 4;
// Images have many features, of which many share the darkest and the brightest value.
constexpr std::size_t kFewestPixels = 16;
constexpr double kPixelsAtDarkest = 0.5;
constexpr double kPixelsAtBrightest = 0.25;
// Principal components come in the order of their spreads, up to differences within groups.
constexpr std::size_t kFewestComponents = 5;
constexpr double kDecaySlack = 1.5;

bool dominated(const Meaning& meaning) {
  return meaning.feature.category() || (meaning.feature.kind != FeatureKind::kNumber &&
                                        meaning.largest_share() >= kDominantShare);
}

bool heavy(const Meaning& meaning) { return tail_weight(meaning.facts) > kHeavyTails; }

bool continuous(std::span<const Meaning> meanings) {
  return std::all_of(meanings.begin(), meanings.end(), [](const Meaning& meaning) {
    return meaning.feature.kind == FeatureKind::kNumber;
  });
}

template <class Key>
double share_of_most_frequent(std::span<const Meaning> meanings, const Key& key) {
  std::map<double, double> counts;
  double most = 0, total = 0;
  for (const Meaning& meaning : meanings) {
    if (meaning.facts.range.low == meaning.facts.range.high) continue;
    total += 1;
    most = std::max(most, counts[key(meaning.facts.range)] += 1);
  }
  return total > 0 ? most / total : 0;
}

bool pixels(std::span<const Meaning> meanings) {
  if (meanings.size() < kFewestPixels) return false;
  if (std::any_of(meanings.begin(), meanings.end(),
                  [](const Meaning& meaning) { return meaning.feature.category(); })) {
    return false;
  }
  return share_of_most_frequent(meanings, [](const Interval& r) { return r.low; }) >=
             kPixelsAtDarkest &&
         share_of_most_frequent(meanings, [](const Interval& r) { return r.high; }) >=
             kPixelsAtBrightest;
}

bool decaying(const std::vector<double>& spreads) {
  if (spreads.size() < kFewestComponents) return false;
  double least = spreads.front();
  for (const double spread : spreads) {
    if (spread > kDecaySlack * least) return false;
    least = std::min(least, spread);
  }
  return true;
}

void leave_as_it_is(Feature& feature) {
  feature.kind = FeatureKind::kNumber;
  feature.decimals = -1;
  feature.atoms.clear();
  feature.support = {};
}

void set_scale(Meaning& meaning, FeatureScale scale) {
  Feature& feature = meaning.feature;
  feature.scale = scale;
  if (scale == FeatureScale::kNormal) return set_normal_scale(feature, meaning.facts);
  const double spread = spread_within_groups(meaning.facts);
  const bool standard = scale == FeatureScale::kStandard && spread > 0;
  set_linear_scale(feature, meaning.facts, standard ? spread : 1);
}

// Scores for what an increasing map cannot spread, `usual` for the rest.
std::string set_scales(std::span<Meaning> meanings, FeatureScale usual) {
  Index scores = 0;
  for (Meaning& meaning : meanings) {
    const bool by_mass = dominated(meaning) || heavy(meaning);
    set_scale(meaning, by_mass ? FeatureScale::kNormal : usual);
    scores += by_mass ? 1 : 0;
  }
  if (scores == 0) return "";
  return fmt::format("; {} with a dominant value or heavy tails as normal scores", scores);
}

void set_all(std::span<Meaning> meanings, FeatureScale scale) {
  for (Meaning& meaning : meanings) {
    set_scale(meaning, meaning.feature.category() ? FeatureScale::kNormal : scale);
  }
}

std::string choose_automatically(std::span<Meaning> meanings) {
  if (pixels(meanings)) {
    for (Meaning& meaning : meanings) leave_as_it_is(meaning.feature);
    return fmt::format(
        "{} features share their darkest and brightest values like pixels: as they "
        "are, repeated values included",
        meanings.size());
  }
  std::vector<double> spreads;
  for (const Meaning& meaning : meanings) spreads.push_back(spread_within_groups(meaning.facts));
  const auto [least, most] = std::minmax_element(spreads.begin(), spreads.end());
  const bool positive = *least > 0;
  const std::string range =
      fmt::format("spreads within groups from {:.3g} to {:.3g}", *least, *most);
  if (continuous(meanings) && positive && *most <= kAlike * *least) {
    set_all(meanings, FeatureScale::kNone);
    return fmt::format("features of one unit ({}): as they are", range);
  }
  if (continuous(meanings) && positive && decaying(spreads)) {
    set_all(meanings, FeatureScale::kNone);
    return fmt::format("spreads that decay like those of principal components ({}): as they are",
                       range);
  }
  const std::string scores = set_scales(meanings, FeatureScale::kStandard);
  return fmt::format("features in unlike units ({}): divided by their spread within groups{}",
                     range, scores);
}

}  // namespace

std::string choose_scales(std::span<Meaning> meanings, ScaleChoice choice) {
  switch (choice) {
    case ScaleChoice::kAuto:
      break;
    case ScaleChoice::kStandard:
      set_all(meanings, FeatureScale::kStandard);
      return "features divided by their spread within groups, as asked for";
    case ScaleChoice::kNormal:
      set_all(meanings, FeatureScale::kNormal);
      return "features as normal scores, as asked for";
    case ScaleChoice::kNone:
      set_all(meanings, FeatureScale::kNone);
      return "features as they are, as asked for";
  }
  return choose_automatically(meanings);
}

}  // namespace conflux

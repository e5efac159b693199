#include "columns/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string_view>
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
// Neighboring pixels are more correlated than others, by this ratio of squared correlations, in so
// many pairs and rows.
constexpr double kAlikeNeighbors = 1.5;
constexpr double kLeastAlike = 0.05;
constexpr std::size_t kPairsOfPixels = 100;
constexpr std::size_t kRowsOfPixels = 2'000;
// Principal components come in the order of their deviations over all rows. Some rows of a table
// keep that order nearly, and so do spreads within groups, less so. So many features are not in
// order by accident.
constexpr std::size_t kFewestComponents = 5;
constexpr double kSpreadSlack = 1.5;
constexpr std::size_t kFewestByDeviation = 8;
constexpr double kDeviationSlack = 1.2;

bool dominated(const Meaning& meaning) {
  return meaning.feature.category() || (meaning.feature.kind != FeatureKind::kNumber &&
                                        meaning.largest_share() >= kDominantShare);
}

bool heavy(const Meaning& meaning) { return tail_weight(meaning.scale_facts()) > kHeavyTails; }

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

// Squared correlation of two columns over their first rows.
double squared_correlation(const Meaning& a, const Meaning& b) {
  const std::size_t rows = std::min({a.values.size(), b.values.size(), kRowsOfPixels});
  double count = 0, sums[5] = {};
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = a.values[i], y = b.values[i];
    if (std::isnan(x) || std::isnan(y)) continue;
    count += 1;
    const double terms[5] = {x, y, x * x, y * y, x * y};
    for (int t = 0; t < 5; ++t) sums[t] += terms[t];
  }
  if (count < 2) return 0;
  const double xx = sums[2] - sums[0] * sums[0] / count, yy = sums[3] - sums[1] * sums[1] / count;
  const double xy = sums[4] - sums[0] * sums[1] / count;
  return xx > 0 && yy > 0 ? xy * xy / (xx * yy) : 0;
}

// A table of rates in [0, 1] has the values of pixels; neighbors tell them apart.
bool neighbors_are_alike(std::span<const Meaning> meanings) {
  const std::size_t count = meanings.size();
  const std::size_t step = std::max<std::size_t>(1, count / kPairsOfPixels);
  double near = 0, far = 0, pairs = 0;
  for (std::size_t j = 0; j + 1 < count; j += step) {
    pairs += 1;
    near += squared_correlation(meanings[j], meanings[j + 1]);
    far += squared_correlation(meanings[j], meanings[(j + count / 2) % count]);
  }
  return near > kAlikeNeighbors * far && near > kLeastAlike * pairs;
}

bool decaying(const std::vector<double>& spreads, std::size_t fewest, double slack) {
  if (spreads.size() < fewest) return false;
  double least = spreads.front();
  for (const double spread : spreads) {
    if (spread > slack * least) return false;
    least = std::min(least, spread);
  }
  return true;
}

// PC1, pc_2, PCA-3.
bool named_as_component(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::size_t at = name.rfind("pc", 0) == 0 ? 2 : 0;
  if (at == 0) return false;
  if (at < name.size() && name[at] == 'a') ++at;
  if (at < name.size() && std::string_view("_-. ").find(name[at]) != std::string_view::npos) ++at;
  return at < name.size() && std::all_of(name.begin() + static_cast<std::ptrdiff_t>(at), name.end(),
                                         [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool principal_components(std::span<const Meaning> meanings, const std::vector<double>& spreads) {
  if (std::all_of(meanings.begin(), meanings.end(), [](const Meaning& meaning) {
        return named_as_component(meaning.feature.name);
      })) {
    return true;
  }
  std::vector<double> deviations;
  for (const Meaning& meaning : meanings) deviations.push_back(deviation(meaning.scale_facts()));
  return decaying(spreads, kFewestComponents, kSpreadSlack) ||
         decaying(deviations, kFewestByDeviation, kDeviationSlack);
}

void leave_as_it_is(Feature& feature) {
  feature.kind = FeatureKind::kNumber;
  feature.decimals = -1;
  feature.atoms.clear();
  feature.makes_room = false;
  feature.support = {};
}

void set_scale(Meaning& meaning, FeatureScale scale) {
  Feature& feature = meaning.feature;
  feature.scale = scale;
  if (scale == FeatureScale::kNormal) return set_normal_scale(feature, meaning.facts);
  const double spread = spread_within_groups(meaning.scale_facts());
  const bool standard = scale == FeatureScale::kStandard && spread > 0;
  set_linear_scale(feature, meaning.scale_facts(), standard ? spread : 1);
}

// Normal scores for atoms and heavy tails, `usual` for all other features.
std::string set_scales(std::span<Meaning> meanings, FeatureScale usual) {
  Index scores = 0;
  for (Meaning& meaning : meanings) {
    const bool by_mass = dominated(meaning) || heavy(meaning);
    set_scale(meaning, by_mass ? FeatureScale::kNormal : usual);
    scores += by_mass ? 1 : 0;
  }
  if (scores == 0) return "";
  return fmt::format("; {} with a dominant value or heavy tails: normal-score transform", scores);
}

void set_all(std::span<Meaning> meanings, FeatureScale scale) {
  for (Meaning& meaning : meanings) {
    set_scale(meaning, meaning.feature.category() ? FeatureScale::kNormal : scale);
  }
}

std::string choose_automatically(std::span<Meaning> meanings) {
  if (are_pixels(meanings)) {
    for (Meaning& meaning : meanings) leave_as_it_is(meaning.feature);
    return fmt::format(
        "{} features with common smallest and largest values, like pixels: not scaled, ties "
        "included",
        meanings.size());
  }
  std::vector<double> spreads;
  for (const Meaning& meaning : meanings)
    spreads.push_back(spread_within_groups(meaning.scale_facts()));
  const auto [least, most] = std::minmax_element(spreads.begin(), spreads.end());
  const bool positive = *least > 0;
  const std::string range =
      fmt::format("standard deviations within groups from {:.3g} to {:.3g}", *least, *most);
  if (continuous(meanings) && positive && *most <= kAlike * *least) {
    set_all(meanings, FeatureScale::kNone);
    return fmt::format("features of one unit ({}): not scaled", range);
  }
  if (continuous(meanings) && positive && principal_components(meanings, spreads)) {
    set_all(meanings, FeatureScale::kNone);
    return fmt::format("principal components ({}): not scaled", range);
  }
  const std::string scores = set_scales(meanings, FeatureScale::kStandard);
  if (meanings.size() == 1) {
    return scores.empty() ? "a single feature, divided by its standard deviation within groups"
                          : "a single feature, as normal scores";
  }
  return fmt::format(
      "features in different units ({}): divided by their standard deviation within groups{}",
      range, scores);
}

double median(const std::vector<double>& sorted) { return sorted[sorted.size() / 2]; }

double half_width(const std::vector<double>& sorted) {
  return sorted[3 * sorted.size() / 4] - sorted[sorted.size() / 4];
}

// A few rows say nothing about units.
constexpr std::size_t kFewestRowsOfUnits = 10;
constexpr double kOtherUnit = 30;
constexpr double kOtherOrigin = 15;

std::string doubt_about(const std::vector<double>& own, const std::vector<double>& other) {
  const double here = median(own), there = median(other);
  const double width_here = half_width(own), width_there = half_width(other);
  if (!(width_here > 0) || !(width_there > 0)) return "";
  const double factor = here / there, widths = width_here / width_there;
  // Nothing is a multiple of zero, which is the median of many pixels and counts.
  if (there != 0 && factor >= kOtherUnit && widths >= kOtherUnit / 3) {
    return fmt::format("are about {:.2g} times those of others (medians {:.4g} and {:.4g})", factor,
                       here, there);
  }
  const bool alike = widths < 3 && widths > 1.0 / 3;
  if (alike && std::abs(here - there) >= kOtherOrigin * std::max(width_here, width_there)) {
    return fmt::format("are all about {:.4g} away from those of others (medians {:.4g} and {:.4g})",
                       std::abs(here - there), here, there);
  }
  return "";
}

}  // namespace

std::vector<UnitDoubt> doubts_about_units(std::span<const Meaning> meanings) {
  std::vector<UnitDoubt> out;
  for (const Meaning& meaning : meanings) {
    if (meaning.feature.category()) continue;
    const auto& groups = meaning.facts.sorted;
    for (std::size_t m = 0; m < groups.size(); ++m) {
      for (std::size_t n = 0; n < groups.size(); ++n) {
        if (m == n || std::min(groups[m].size(), groups[n].size()) < kFewestRowsOfUnits) continue;
        std::string what = doubt_about(groups[m], groups[n]);
        if (what.empty()) continue;
        out.push_back({meaning.feature.name, static_cast<Index>(m), std::move(what)});
        m = groups.size() - 1;  // one sentence per feature
        break;
      }
    }
  }
  return out;
}

bool are_pixels(std::span<const Meaning> meanings) {
  if (meanings.size() < kFewestPixels) return false;
  if (std::any_of(meanings.begin(), meanings.end(),
                  [](const Meaning& meaning) { return meaning.feature.category(); })) {
    return false;
  }
  return share_of_most_frequent(meanings, [](const Interval& r) { return r.low; }) >=
             kPixelsAtDarkest &&
         share_of_most_frequent(meanings, [](const Interval& r) { return r.high; }) >=
             kPixelsAtBrightest &&
         neighbors_are_alike(meanings);
}

std::string choose_scales(std::span<Meaning> meanings, ScaleChoice choice) {
  switch (choice) {
    case ScaleChoice::kAuto:
      break;
    case ScaleChoice::kStandard:
      set_all(meanings, FeatureScale::kStandard);
      return "features divided by their standard deviation within groups, as requested";
    case ScaleChoice::kNormal:
      set_all(meanings, FeatureScale::kNormal);
      return "features by the normal-score transform, as requested";
    case ScaleChoice::kNone:
      set_all(meanings, FeatureScale::kNone);
      return "features not scaled, as requested";
  }
  return choose_automatically(meanings);
}

}  // namespace conflux

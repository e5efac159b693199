// From requested options to those that a fit uses.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "conflux/core/error.h"
#include "conflux/options/options.h"
#include "core/nearest_name.h"
#include "options/held_out_rows.h"
#include "options/method_settings.h"
#include "options/option_table.h"
#include "options/option_text.h"

namespace conflux {

using namespace automatic;

namespace {

// A message lists so many methods by name.
constexpr std::size_t kMostNamed = 5;

// Three or more groups that are all large.
bool many_large_groups(const DataShape& data) {
  return data.group_sizes.size() > 2 &&
         *std::min_element(data.group_sizes.begin(), data.group_sizes.end()) >= kLargeGroup;
}

std::string methods_that_use(const OptionText& option) {
  std::vector<std::string_view> names;
  for (const MethodInfo& each : kMethods) {
    if ((option.used_by & only(each.id)) != 0) names.push_back(each.name);
  }
  if (names.size() > kMostNamed) return "inb";
  return fmt::format("{}", fmt::join(names, " or "));
}

// An option with the value that the fit uses anyway is not refused.
void refuse_ignored(const FitOptions& requested, const FitOptions& resolved) {
  const std::vector<OptionText> asked = option_texts(requested);
  const std::vector<OptionText> left_alone = option_texts(FitOptions());
  const std::vector<OptionText> used = option_texts(resolved);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if ((asked[i].used_by & only(requested.method)) != 0) continue;
    if (asked[i].value == left_alone[i].value || asked[i].value == used[i].value) continue;
    throw InvalidOption(fmt::format("{} is {} but {} does not use it; leave it out, or choose {}.",
                                    asked[i].name, asked[i].value, name_of(requested.method),
                                    methods_that_use(asked[i])));
  }
}

void set_fixed(FitOptions& options, const MethodInfo& method) {
  const FitOptions asked = options;
  set_all(options, method.fixes);
  const std::vector<OptionText> before = option_texts(asked);
  const std::vector<OptionText> left_alone = option_texts(FitOptions());
  const std::vector<OptionText> after = option_texts(options);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].value == after[i].value || before[i].value == left_alone[i].value) continue;
    throw InvalidOption(
        fmt::format("{} is {} but {} always has {}; leave it out, or choose another method.",
                    before[i].name, before[i].value, method.name, after[i].value));
  }
}

void resolve_layers(FitOptions& options, const MethodInfo& method, bool gated,
                    const DataShape& data) {
  if (!options.layers && method.to_uniform) {
    options.layers = options.dd_stack == DdStack::kRandom ? kDdRandomLayers : kDdLayers;
  }
  if (!options.layers) {
    const Index by_features = std::clamp(data.dim / kFeaturesPerLayer, kFewestLayers, kMostLayers);
    options.layers = many_large_groups(data) ? kLayersOfMany * by_features : by_features;
    if (gated) {
      const Index turns = kTurnsOfGatedFeature * data.dim / *options.directions;
      options.layers = std::clamp(turns, kFewestGatedLayers, *options.layers);
    }
  }
  if (!method.opens.empty() && !method.one_layer() && *options.layers < 2) {
    throw InvalidOption(fmt::format(
        "layers is {} but {} needs an opening layer and at least one more; choose 2 or more.",
        *options.layers, method.name));
  }
}

// Whether layers are gated; checks what gates need and chooses the number of kinds.
bool resolve_gate(FitOptions& options, const DataShape& data) {
  // With rows at hand the gate was chosen by them before.
  if (options.gate == Gating::kAuto) options.gate = Gating::kNone;
  if (options.gate == Gating::kNone) return false;
  const std::string_view gate = name_of(options.gate);
  if (options.estimator != Estimator::kQuantile) {
    throw InvalidOption(fmt::format("gate is {} but the estimator is {}; gates need quantile maps.",
                                    gate, name_of(options.estimator)));
  }
  if (data.dim < 2 || (options.directions && *options.directions >= data.dim)) {
    throw InvalidOption(
        fmt::format("gate is {} but the layers move along all {} features and leave none to a "
                    "gate; choose fewer directions, or gate none.",
                    gate, data.dim));
  }
  if (options.validation_fraction.value_or(0) > 0) {
    throw InvalidOption(
        fmt::format("gate is {} and validation_fraction is above 0; validation rows score whole "
                    "groups, which a gate does not align. Leave one of them out.",
                    gate));
  }
  return true;
}

void resolve_directions(FitOptions& options, bool gated, const DataShape& data) {
  if (!options.directions) {
    const Index most = many_large_groups(data) ? kDirectionsOfMany : kDirections;
    options.directions =
        gated ? std::clamp<Index>(data.dim / kFeaturesPerGatedDirection, 1, kDirections)
              : std::min(data.dim, most);
  }
  if (*options.directions > data.dim) {
    throw InvalidOption(
        fmt::format("directions is {} but the data has {} columns; choose at most {}, or leave it "
                    "unset.",
                    *options.directions, data.dim, data.dim));
  }
}

double automatic_strength(const MethodInfo& method, bool gated, const DataShape& data) {
  if (method.strength > 0) return method.strength;
  if (gated) return kStrengthOfGated;
  const double groups = many_large_groups(data) ? static_cast<double>(data.group_sizes.size()) : 2;
  return std::min(kStrengthOfTwo * std::sqrt(0.5 * groups), kLargestStrength);
}

void resolve_maps(FitOptions& options, const MethodInfo& method, const DataShape& data) {
  const bool random_axes = options.dd_stack == DdStack::kRandom;
  if (method.to_uniform && !options.bins) options.bins = kDdBins;
  if (method.to_uniform && !options.pseudo_count) {
    options.pseudo_count = random_axes ? kDdRandomPseudoCount : kDdPseudoCount;
  }
  if (!options.pseudo_count) options.pseudo_count = kPseudoCount;
  if (!options.knots) {
    const Index smallest = *std::min_element(data.group_sizes.begin(), data.group_sizes.end());
    const double root = std::sqrt(static_cast<double>(smallest));
    options.knots = std::clamp<Index>(std::lround(root), kFewestKnots, kMostKnots);
  }
  if (options.grid == 1) throw InvalidOption("grid is 1; choose at least 2, or 0 for no grid.");
}

// The target alone makes the barycenter.
void resolve_weights(FitOptions& options, const MethodInfo& method, const DataShape& data) {
  const auto& names = data.group_names;
  if (method.to_last_group && options.target.empty() && options.weights == GroupWeights()) {
    options.target = names.back();
  }
  std::vector<double> given = normalized_weights(options.weights, data.group_sizes);
  if (!options.target.empty()) {
    const auto found = std::find(names.begin(), names.end(), options.target);
    if (found == names.end()) {
      throw InvalidOption("target: " + unknown_name("group", options.target, names));
    }
    std::vector<double> alone(names.size(), 0.0);
    alone[static_cast<std::size_t>(found - names.begin())] = 1;
    if (options.weights != GroupWeights() && given != alone) {
      throw InvalidOption(fmt::format(
          "weights is {} but target \"{}\" is the only group that counts; leave one of them out.",
          to_text(options.weights), options.target));
    }
    given = std::move(alone);
  }
  options.weights = std::move(given);
}

// A group that all others move to keeps its units.
void resolve_units(FitOptions& options, const MethodInfo& method) {
  if (method.to_last_group && options.unit_cube == UnitCube::kAuto) {
    options.unit_cube = UnitCube::kOff;
  }
}

// Few rows judge badly and are missed more: small groups hold out none. More rows than are looked
// at after a layer would be wasted.
double automatic_validation(const MethodInfo& method, const DataShape& data) {
  const Index smallest = *std::min_element(data.group_sizes.begin(), data.group_sizes.end());
  if (smallest < kSmallestJudged) return 0;
  if (!method.then.empty() && data.dim <= kMostTreeFeatures) {
    const double most = static_cast<double>(kMostJudgedOfTables) / static_cast<double>(smallest);
    return std::min(kValidationFractionOfTables, most);
  }
  const auto rows = static_cast<double>(
      held_out_rows_per_group(data.dim, static_cast<Index>(data.group_sizes.size())));
  return std::min(kValidationFraction, rows / static_cast<double>(smallest));
}

}  // namespace

void set_all(FitOptions& options, Settings settings) {
  while (!settings.empty()) {
    const std::size_t end = settings.find(' ');
    const std::string_view setting = settings.substr(0, end);
    settings = end == Settings::npos ? Settings() : settings.substr(end + 1);
    const std::size_t middle = setting.find('=');
    set_option(options, setting.substr(0, middle), setting.substr(middle + 1));
  }
}

FitOptions without_ignored(const FitOptions& options) {
  FitOptions out = options;
  for (const OptionText& each : option_texts(FitOptions())) {
    if ((each.used_by & only(options.method)) == 0) set_option(out, each.name, each.value);
  }
  return out;
}

FitOptions resolve(const FitOptions& requested, const DataShape& data) {
  validate(requested);
  const MethodInfo& method = method_info(requested.method);
  FitOptions options = without_ignored(requested);
  set_fixed(options, method);
  const bool gated = resolve_gate(options, data);
  resolve_directions(options, gated, data);
  resolve_layers(options, method, gated, data);
  if (!options.search_rows) {
    const auto groups = static_cast<Index>(data.group_sizes.size());
    options.search_rows = std::clamp(kSearchRowsInAll / groups, kFewestSearchRows, kMostSearchRows);
  }
  if (!options.fit_rows) options.fit_rows = RowLimit(kPoolRows);
  if (!options.strength) options.strength = automatic_strength(method, gated, data);
  resolve_maps(options, method, data);
  resolve_units(options, method);
  parse_image_shape(options.image, data.dim);
  resolve_weights(options, method, data);
  if (!options.validation_fraction) {
    options.validation_fraction =
        method.one_layer() || gated ? 0 : automatic_validation(method, data);
  }
  refuse_ignored(requested, options);
  return options;
}

}  // namespace conflux

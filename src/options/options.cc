#include "conflux/options/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "options/held_out_rows.h"

namespace conflux {

namespace {

// What a fit does that was not told; measured on images, cells and weather (docs/results/auto.md).
// Many weak layers generalise best: strong ones fit noise that later ones cannot take back. More
// features and more groups need more of them; more groups also allow stronger ones, because the
// barycenter of many is less noisy than that of two.
constexpr Index kFewestLayers = 100;
constexpr Index kMostLayers = 200;
constexpr Index kFeaturesPerLayer = 4;
constexpr Index kDirections = 10;
constexpr Index kDirectionsOfMany = 16;
// Small groups are noisy however many there are.
constexpr Index kLargeGroup = 2000;
constexpr double kStrengthOfTwo = 0.2;
constexpr double kLargestStrength = 0.3;
// Rows of all groups together that a search should see, and what each group contributes.
constexpr Index kSearchRowsInAll = 5000;
constexpr Index kFewestSearchRows = 1000;
constexpr Index kMostSearchRows = 2500;
constexpr Index kSmallestJudged = 500;
constexpr double kValidationFraction = 0.1;
constexpr Index kRowsPerKind = 300;
constexpr Index kMostKinds = 8;
// Of layers that few rows or a gate hold back, and of the baselines.
constexpr double kStrengthOfOthers = 0.5;
// As published: quantiles of a spline, layers and bins of density destructors.
constexpr Index kSplineKnots = 400;
constexpr Index kDdLayers = 11;
constexpr Index kDdRandomLayers = 16;
constexpr Index kDdBins = 40;
constexpr double kPublishedMargin = 1e-12;
constexpr double kDdPseudoCount = 100;

void check_range(const OptionInfo& info, double value) {
  const bool low = info.above_min ? !(value > info.min) : !(value >= info.min);
  if (!low && value <= info.max) return;
  throw InvalidOption(
      fmt::format("{} is {}; choose a value {} {:g}{}.", info.name, value,
                  info.above_min ? "above" : "of at least", info.min,
                  std::isinf(info.max) ? "" : fmt::format(" and at most {:g}", info.max)));
}

struct RangeCheck {
  template <class T>
  void operator()(const OptionInfo& info, const T& value) const {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      check_range(info, static_cast<double>(value));
    }
  }
  template <class T>
  void operator()(const OptionInfo& info, const std::optional<T>& value) const {
    if (value) (*this)(info, *value);
  }
  void operator()(const OptionInfo& info, const GroupWeights& weights) const {
    for (const double value : weights.list) check_range(info, value);
  }
};

Index automatic_layers(Index dim, bool many) {
  const Index layers = std::clamp(dim / kFeaturesPerLayer, kFewestLayers, kMostLayers);
  return many ? 2 * layers : layers;
}

bool opens_with_other_layer(Method method) {
  return method == Method::kNbInb || method == Method::kNbRandNb || method == Method::kGbInb;
}

// SINF moves all other groups to one of them, on the values as they are.
void resolve_sinf(FitOptions& options, const DataShape& data) {
  options.estimator = Estimator::kSpline;
  if (options.target.empty() && options.weights == GroupWeights()) {
    options.target = data.group_names.back();
  }
  if (options.unit_cube == UnitCube::kAuto) options.unit_cube = UnitCube::kOff;
}

// Groups of DD know nothing of each other.
void resolve_dd(FitOptions& options) {
  const auto refuse = [](std::string_view name, const std::string& value) {
    throw InvalidOption(
        fmt::format("{} is {} but dd fits every group by itself to the uniform law; leave it out.",
                    name, value));
  };
  if (!options.target.empty()) refuse("target", fmt::format("\"{}\"", options.target));
  if (options.strength.value_or(1) != 1) refuse("strength", fmt::format("{}", *options.strength));
  if (options.split != Split::kNone) refuse("split", std::string(name_of(options.split)));
  if (options.validation_fraction.value_or(0) != 0) {
    refuse("validation_fraction", fmt::format("{}", *options.validation_fraction));
  }
  const bool random = options.dd_stack == DdStack::kRandom;
  options.validation_fraction = 0;
  options.strength = 1;
  if (!options.layers) options.layers = random ? kDdRandomLayers : kDdLayers;
  if (!options.bins) options.bins = kDdBins;
  if (!options.pseudo_count) options.pseudo_count = random ? 1 : kDdPseudoCount;
}

void resolve_baseline(FitOptions& options, const DataShape& data) {
  if (options.method == Method::kSinf) resolve_sinf(options, data);
  if (options.method == Method::kDd) resolve_dd(options);
  if (!options.pseudo_count) options.pseudo_count = 1e-6;
}

// What the published runs of the other methods had differently.
void set_paper_baseline(FitOptions& options, Index num_groups) {
  const bool two = num_groups == 2;
  if (options.method == Method::kSinf) {
    options.split = Split::kNone;
    options.estimator = Estimator::kSpline;
    options.knots = kSplineKnots;
    options.unit_cube = UnitCube::kOff;
  }
  if (options.method == Method::kDd) {
    options.split = Split::kNone;
    options.dd_stack = two ? DdStack::kRandom : DdStack::kPcaUnscaled;
    options.layers = two ? 16 : 31;
    // Values as they are may lie five deviations out, where the published scores still bend. Not
    // the default of this stack: what lies far outside could not be undone.
    if (!two) options.unit_cube_margin = kPublishedMargin;
  }
  if (options.method == Method::kTree) options.tree_uniform = 0.9;
}

// The target alone makes the barycenter.
GroupWeights resolve_weights(const FitOptions& options, const DataShape& data) {
  const std::vector<double> given = normalized_weights(options.weights, data.group_sizes);
  if (options.target.empty()) return given;
  const auto& names = data.group_names;
  const auto found = std::find(names.begin(), names.end(), options.target);
  if (found == names.end()) {
    throw InvalidOption("target: " + unknown_name("group", options.target, names));
  }
  std::vector<double> out(names.size(), 0.0);
  out[static_cast<std::size_t>(found - names.begin())] = 1;
  if (options.weights != GroupWeights() && given != out) {
    throw InvalidOption(fmt::format(
        "weights is {} but target \"{}\" is the only group that counts; leave one of them out.",
        to_text(options.weights), options.target));
  }
  return out;
}

// Few rows judge badly and are missed more: small groups hold out none. More rows than are looked
// at after a layer would be wasted.
double automatic_validation(Index dim, const std::vector<Index>& group_sizes) {
  const Index smallest = *std::min_element(group_sizes.begin(), group_sizes.end());
  if (smallest < kSmallestJudged) return 0;
  const auto rows =
      static_cast<double>(held_out_rows_per_group(dim, static_cast<Index>(group_sizes.size())));
  return std::min(kValidationFraction, rows / static_cast<double>(smallest));
}

double automatic_strength(Method method, bool gated, double groups_that_count) {
  switch (method) {
    case Method::kNb:
    case Method::kGb:
    case Method::kTree:
      return 1;
    case Method::kSinf:
    case Method::kTreeInb:
      return kStrengthOfOthers;
    default:
      if (gated) return kStrengthOfOthers;
      return std::min(kStrengthOfTwo * std::sqrt(0.5 * groups_that_count), kLargestStrength);
  }
}

// Scores are normal already, and DD makes its own.
void resolve_scale(FitOptions& options) {
  if (options.scale == Scaling::kNone) return;
  if (options.method == Method::kDd || options.unit_cube == UnitCube::kOn) {
    throw InvalidOption(fmt::format(
        "scale is {} but {}; leave one of them out.", name_of(options.scale),
        options.method == Method::kDd ? "dd scales every group by itself"
                                      : "unit_cube is on, which makes scores of its own"));
  }
  options.unit_cube = UnitCube::kOff;
}

// Whether layers are gated; checks what gates need and chooses the number of kinds.
bool resolve_gate(FitOptions& options, const DataShape& data) {
  if (options.gate == Gating::kNone) return false;
  const std::string_view gate = name_of(options.gate);
  if (options.estimator != Estimator::kQuantile) {
    throw InvalidOption(fmt::format("gate is {} but the estimator is {}; gates need quantile maps.",
                                    gate, name_of(options.estimator)));
  }
  const bool sliced = options.method == Method::kInb || options.method == Method::kRandNb ||
                      options.method == Method::kNbInb || options.method == Method::kNbRandNb ||
                      options.method == Method::kGbInb;
  if (!sliced) {
    throw InvalidOption(fmt::format("gate is {} but {} has no layers to gate; choose inb.", gate,
                                    name_of(options.method)));
  }
  if (data.dim < 2 || (options.directions && *options.directions >= data.dim)) {
    throw InvalidOption(
        fmt::format("gate is {} but the layers move along all {} features and leave none to a "
                    "gate; choose fewer directions, or gate none.",
                    gate, data.dim));
  }
  if (options.validation_fraction.value_or(0) > 0) {
    throw InvalidOption(fmt::format(
        "gate is {} and validation_fraction is above 0; held-out rows judge whole groups, which a "
        "gate does not align. Leave one of them out.",
        gate));
  }
  if (!options.kinds) {
    const auto rows = std::accumulate(data.group_sizes.begin(), data.group_sizes.end(), Index{0});
    options.kinds = std::clamp<Index>(rows / kRowsPerKind, 2, kMostKinds);
  }
  return true;
}

}  // namespace

std::optional<ImageShape> parse_image_shape(const std::string& text, Index dim) {
  if (text.empty()) return std::nullopt;
  std::vector<Index> sizes;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (bool more = true; more;) {
    const auto [next, error] = std::from_chars(at, end, sizes.emplace_back());
    more = error == std::errc() && sizes.back() > 0 && next != end && *next == 'x';
    at = error == std::errc() && sizes.back() > 0 ? next + (more ? 1 : 0) : text.data();
  }
  double values = 1;
  for (const Index size : sizes) values *= static_cast<double>(size);
  if (at != end || sizes.size() < 2 || sizes.size() > 3) {
    throw InvalidOption(
        fmt::format("image is \"{}\"; give HEIGHTxWIDTH or HEIGHTxWIDTHxCHANNELS.", text));
  }
  if (values != static_cast<double>(dim)) {
    throw InvalidOption(fmt::format("image is {} but rows have {} columns; the product must be {}.",
                                    text, dim, dim));
  }
  return ImageShape{sizes[0], sizes[1], sizes.size() == 3 ? sizes[2] : 1};
}

FitOptions paper_options(Method method, Index num_groups) {
  FitOptions options;
  options.method = method;
  options.layers = method == Method::kNb || method == Method::kGb ? 1 : 15;
  options.search_steps = 200;
  options.polar_steps = false;
  options.inner_steps = 0;
  options.search_rows = Index{1} << 32;
  options.split = num_groups == 2 ? Split::kRandomHalf : Split::kFixedHalf;
  options.estimator = Estimator::kHistogram;
  options.grid = 100;
  options.strength = 1;
  options.validation_fraction = 0;
  set_paper_baseline(options, num_groups);
  return options;
}

void validate(const FitOptions& options) { visit_options(options, RangeCheck{}); }

FitOptions resolve(const FitOptions& requested, const DataShape& data) {
  validate(requested);
  const Index dim = data.dim;
  const auto num_groups = static_cast<Index>(data.group_sizes.size());
  const Index smallest = *std::min_element(data.group_sizes.begin(), data.group_sizes.end());
  const bool many = num_groups > 2 && smallest >= kLargeGroup;
  FitOptions options = requested;
  resolve_baseline(options, data);
  const bool single = options.method == Method::kNb || options.method == Method::kGb;
  if (!options.layers) options.layers = single ? 1 : automatic_layers(dim, many);
  if (single && *options.layers != 1) {
    throw InvalidOption(fmt::format("layers is {} but {} has one layer; choose inb for more.",
                                    *options.layers, name_of(options.method)));
  }
  if (opens_with_other_layer(options.method) && *options.layers < 2) {
    throw InvalidOption(fmt::format(
        "layers is {} but {} needs an opening layer and at least one more; choose 2 or more.",
        *options.layers, name_of(options.method)));
  }
  const bool gated = resolve_gate(options, data);
  if (!options.directions) {
    const Index most = many ? kDirectionsOfMany : kDirections;
    options.directions = gated ? std::clamp<Index>(dim / 4, 1, kDirections) : std::min(dim, most);
  }
  if (*options.directions > dim) {
    throw InvalidOption(
        fmt::format("directions is {} but the data has {} columns; choose at most {}, or leave it "
                    "unset.",
                    *options.directions, dim, dim));
  }
  if (options.method == Method::kRandNb || options.method == Method::kNbRandNb) {
    options.search_steps = 0;
  }
  if (!options.search_rows) {
    const auto groups = static_cast<Index>(data.group_sizes.size());
    options.search_rows = std::clamp(kSearchRowsInAll / groups, kFewestSearchRows, kMostSearchRows);
  }
  if (!options.strength) {
    options.strength =
        automatic_strength(options.method, gated, many ? static_cast<double>(num_groups) : 2);
  }
  if (!options.knots) {
    const double root = std::sqrt(static_cast<double>(smallest));
    options.knots = std::clamp<Index>(std::lround(root), 8, 100);
  }
  resolve_scale(options);
  if (options.grid == 1) throw InvalidOption("grid is 1; choose at least 2, or 0 for no grid.");
  parse_image_shape(options.image, dim);
  options.weights = resolve_weights(options, data);
  if (!options.validation_fraction) {
    options.validation_fraction = single || gated ? 0 : automatic_validation(dim, data.group_sizes);
  }
  return options;
}

}  // namespace conflux

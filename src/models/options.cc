#include "conflux/models/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conflux/core/error.h"

namespace conflux {

namespace {

// Layers, directions and rows of a fit that was not told; measured on images and cells.
constexpr Index kLayers = 100;
constexpr Index kDirections = 10;
constexpr Index kSearchRows = 1500;

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
  void operator()(const OptionInfo& info, const std::vector<double>& values) const {
    for (const double value : values) check_range(info, value);
  }
};

bool opens_with_other_layer(Method method) {
  return method == Method::kNbInb || method == Method::kNbRandNb || method == Method::kGbInb;
}

std::vector<double> normalized_weights(const std::vector<double>& weights, Index num_groups) {
  const auto count = static_cast<std::size_t>(num_groups);
  if (weights.empty()) return std::vector<double>(count, 1 / static_cast<double>(num_groups));
  if (weights.size() != count) {
    throw InvalidOption(
        fmt::format("weights has {} entries but there are {} groups; give one each.",
                    weights.size(), num_groups));
  }
  double sum = 0;
  for (const double weight : weights) sum += weight;
  if (!(sum > 0) || !std::isfinite(sum)) {
    throw InvalidOption("weights has no positive entry; give at least one group some weight.");
  }
  std::vector<double> out = weights;
  for (double& weight : out) weight /= sum;
  return out;
}

}  // namespace

FitOptions paper_options(Method method, Index num_groups) {
  FitOptions options;
  options.method = method;
  options.layers = method == Method::kNb || method == Method::kGb ? 1 : 15;
  options.search_steps = 200;
  options.polar_steps = false;
  options.search_rows = Index{1} << 32;
  options.split = num_groups == 2 ? Split::kRandomHalf : Split::kFixedHalf;
  options.estimator = Estimator::kHistogram;
  options.grid = 100;
  options.strength = 1;
  return options;
}

void validate(const FitOptions& options) { visit_options(options, RangeCheck{}); }

FitOptions resolve(const FitOptions& requested, Index dim, Index num_groups, Index smallest_group) {
  validate(requested);
  FitOptions options = requested;
  const bool single = options.method == Method::kNb || options.method == Method::kGb;
  if (!options.layers) options.layers = single ? 1 : kLayers;
  if (single && *options.layers != 1) {
    throw InvalidOption(fmt::format("layers is {} but {} has one layer; choose inb for more.",
                                    *options.layers, name_of(options.method)));
  }
  if (opens_with_other_layer(options.method) && *options.layers < 2) {
    throw InvalidOption(fmt::format(
        "layers is {} but {} needs an opening layer and at least one more; choose 2 or more.",
        *options.layers, name_of(options.method)));
  }
  if (!options.directions) options.directions = std::min(dim, kDirections);
  if (*options.directions > dim) {
    throw InvalidOption(
        fmt::format("directions is {} but the data has {} columns; choose at most {}, or leave it "
                    "unset.",
                    *options.directions, dim, dim));
  }
  if (options.method == Method::kRandNb || options.method == Method::kNbRandNb) {
    options.search_steps = 0;
  }
  if (!options.search_rows) options.search_rows = kSearchRows;
  if (!options.knots) {
    const double root = std::sqrt(static_cast<double>(smallest_group));
    options.knots = std::clamp<Index>(std::lround(root), 8, 100);
  }
  if (options.grid == 1) throw InvalidOption("grid is 1; choose at least 2, or 0 for no grid.");
  options.weights = normalized_weights(options.weights, num_groups);
  return options;
}

}  // namespace conflux

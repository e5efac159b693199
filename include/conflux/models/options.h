// What can be chosen about a fit.
//
// FitOptions is the only source of option names, defaults, ranges and help: visit_options() tells
// them field by field to validation, to the command line, to model files and to other languages.

#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conflux/core/index.h"
#include "conflux/models/group_weights.h"

namespace conflux {

/// NB moves each feature on its own; INB repeats along the directions that differ most, Rand-NB
/// along random ones; GB matches means and covariances. A prefix names the layer that opens.
enum class Method { kNb, kInb, kRandNb, kNbInb, kNbRandNb, kGb, kGbInb };
enum class Estimator { kQuantile, kHistogram };
/// Which rows find directions and which fit maps: all of them for both, or one half each, drawn
/// anew for every layer or cut once in file order.
enum class Split { kNone, kRandomHalf, kFixedHalf };
enum class UnitCube { kAuto, kOn, kOff };

template <class Enum>
struct EnumNames;
template <>
struct EnumNames<Method> {
  static constexpr std::array<std::pair<Method, std::string_view>, 7> kNames{{
      {Method::kNb, "nb"},
      {Method::kInb, "inb"},
      {Method::kRandNb, "rand-nb"},
      {Method::kNbInb, "nb-inb"},
      {Method::kNbRandNb, "nb-rand-nb"},
      {Method::kGb, "gb"},
      {Method::kGbInb, "gb-inb"},
  }};
};
template <>
struct EnumNames<Estimator> {
  static constexpr std::array<std::pair<Estimator, std::string_view>, 2> kNames{
      {{Estimator::kQuantile, "quantile"}, {Estimator::kHistogram, "histogram"}}};
};
template <>
struct EnumNames<Split> {
  static constexpr std::array<std::pair<Split, std::string_view>, 3> kNames{
      {{Split::kNone, "none"},
       {Split::kRandomHalf, "random-half"},
       {Split::kFixedHalf, "fixed-half"}}};
};
template <>
struct EnumNames<UnitCube> {
  static constexpr std::array<std::pair<UnitCube, std::string_view>, 3> kNames{
      {{UnitCube::kAuto, "auto"}, {UnitCube::kOn, "on"}, {UnitCube::kOff, "off"}}};
};

template <class Enum>
constexpr std::string_view name_of(Enum value) {
  for (const auto& [each, name] : EnumNames<Enum>::kNames) {
    if (each == value) return name;
  }
  return "?";
}

struct FitOptions {
  Method method = Method::kInb;
  std::optional<Index> layers = std::nullopt;
  std::optional<Index> directions = std::nullopt;
  Index search_steps = 4;
  bool polar_steps = true;
  Index inner_steps = 10;
  std::optional<Index> search_rows = std::nullopt;
  Split split = Split::kNone;
  Estimator estimator = Estimator::kQuantile;
  std::optional<Index> knots = std::nullopt;
  std::optional<Index> bins = std::nullopt;
  double pseudo_count = 1e-6;
  Index grid = 0;
  std::optional<double> strength = std::nullopt;
  GroupWeights weights = {};
  std::string target = {};
  std::optional<double> validation_fraction = std::nullopt;
  Index patience = 20;
  std::string image = {};
  UnitCube unit_cube = UnitCube::kAuto;
  double unit_cube_margin = 1e-6;
  std::uint64_t seed = 0;
  int threads = 0;
};

struct OptionInfo {
  std::string_view name;
  std::string_view help;
  /// What leaving an optional field unset (or a text empty) means.
  std::string_view unset = "";
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  /// Whether `min` itself is out of range.
  bool above_min = false;
};

/// Calls visit(info, field) for every option, in the order in which they are documented.
template <class Options, class Visit>
void visit_options(Options& options, Visit&& visit) {
  visit(OptionInfo{.name = "method", .help = "how the groups are aligned"}, options.method);
  visit(OptionInfo{.name = "layers",
                   .help = "number of layers, an opening NB or GB layer included",
                   .unset = "a quarter of the features, from 100 to 200; half as many again for "
                            "three or more groups; 1 "
                            "for nb and gb",
                   .min = 1,
                   .max = 1e6},
        options.layers);
  visit(OptionInfo{.name = "directions",
                   .help = "directions per layer, at most the number of features",
                   .unset =
                       "10 for two groups, 16 for more, or the number of features if that is less",
                   .min = 1,
                   .max = 1e6},
        options.directions);
  visit(OptionInfo{.name = "search_steps",
                   .help = "steps of the search for directions; 0 keeps random ones",
                   .min = 0,
                   .max = 1e6},
        options.search_steps);
  visit(OptionInfo{.name = "polar_steps",
                   .help = "try large polar steps before the paper's line search"},
        options.polar_steps);
  visit(OptionInfo{.name = "inner_steps",
                   .help = "steps in the span of frame and gradient per step of the search; 0: one "
                           "along the gradient",
                   .min = 0,
                   .max = 1000},
        options.inner_steps);
  visit(OptionInfo{.name = "search_rows",
                   .help = "rows per group that a search looks at, drawn anew for every layer",
                   .unset = "5000 by the number of groups, from 1000 to 2500",
                   .min = 2,
                   .max = 1e12},
        options.search_rows);
  visit(OptionInfo{.name = "split",
                   .help = "whether directions and maps are fitted on different rows"},
        options.split);
  visit(OptionInfo{.name = "estimator", .help = "how maps along a direction are estimated"},
        options.estimator);
  visit(OptionInfo{.name = "knots",
                   .help = "equal-mass knots of a quantile map",
                   .unset = "the square root of the smallest group's rows, from 8 to 100",
                   .min = 1,
                   .max = 1e6},
        options.knots);
  visit(OptionInfo{.name = "bins",
                   .help = "bins of a histogram map",
                   .unset = "the square root of the number of rows it is fitted on",
                   .min = 1,
                   .max = 1e6},
        options.bins);
  visit(OptionInfo{.name = "pseudo_count",
                   .help = "mass added to every bin of a histogram map",
                   .min = 0,
                   .max = 1e6,
                   .above_min = true},
        options.pseudo_count);
  visit(OptionInfo{.name = "grid",
                   .help = "points of the barycenter of histogram maps; 0 evaluates it exactly",
                   .min = 0,
                   .max = 1e6},
        options.grid);
  visit(OptionInfo{.name = "strength",
                   .help = "fraction of the way to the barycenter that a layer moves",
                   .unset = "1 for nb and gb, whose layer is full as an opening one too; else 0.2 "
                            "for two groups, "
                            "growing with their root to 0.4",
                   .min = 0,
                   .max = 1,
                   .above_min = true},
        options.strength);
  visit(OptionInfo{.name = "weights",
                   .help = "weight of each group in the barycenter: uniform, size, or a list",
                   .min = 0},
        options.weights);
  visit(OptionInfo{.name = "target",
                   .help = "group that all others are moved to",
                   .unset = "the barycenter of all groups"},
        options.target);
  visit(OptionInfo{.name = "validation_fraction",
                   .help = "fraction of each group's rows that only judge the layers; 0: none",
                   .unset = "at most 0.05 if the fit has several layers and every group 500 rows",
                   .min = 0,
                   .max = 0.9},
        options.validation_fraction);
  visit(OptionInfo{.name = "patience",
                   .help = "layers without a better fit of held-out rows before the fit stops",
                   .min = 1,
                   .max = 1e6},
        options.patience);
  visit(OptionInfo{.name = "image",
                   .help = "HEIGHTxWIDTH[xCHANNELS] of rows that are images: every second layer "
                           "then looks at a random patch only",
                   .unset = "no patches"},
        options.image);
  visit(OptionInfo{.name = "unit_cube",
                   .help = "work on normal scores of values in [0, 1]; auto: if all values are"},
        options.unit_cube);
  visit(OptionInfo{.name = "unit_cube_margin",
                   .help = "distance from 0 and 1 where normal scores go on as straight lines",
                   .min = 1e-12,
                   .max = 0.1},
        options.unit_cube_margin);
  visit(OptionInfo{.name = "seed", .help = "names the random streams of the fit"}, options.seed);
  visit(
      OptionInfo{
          .name = "threads", .help = "threads to use; 0 uses every core", .min = 0, .max = 4096},
      options.threads);
}

/// Rows that are images, channel by channel within a pixel.
struct ImageShape {
  Index height = 0;
  Index width = 0;
  Index channels = 1;
};

/// Reads `28x28` or `32x32x3`; nothing from an empty text. Throws InvalidOption when the text is
/// something else or does not have `dim` values.
std::optional<ImageShape> parse_image_shape(const std::string& text, Index dim);

/// The settings of the paper and of its reference code: directions on one half of the rows and maps
/// on the other, 200 steps of the line search, histogram maps through 100 points, full strength.
FitOptions paper_options(Method method, Index num_groups);

/// Throws InvalidOption that names the first option out of its range.
void validate(const FitOptions& options);

/// What options are resolved against.
struct DataShape {
  Index dim = 0;
  std::vector<std::string> group_names = {};
  /// Rows with mass, over all processes.
  std::vector<Index> group_sizes = {};
};

/// A copy in which everything left unset has the value that the fit will use. Throws InvalidOption
/// when an option does not suit the data.
FitOptions resolve(const FitOptions& options, const DataShape& data);

}  // namespace conflux

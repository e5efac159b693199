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
#include "conflux/options/group_weights.h"

namespace conflux {

/// NB moves each feature on its own; INB repeats along the directions that differ most, Rand-NB
/// along random ones; GB matches means and covariances. A prefix names the layer that opens.
/// SINF moves all groups to one of them along the same directions as INB; DD takes every group to
/// the uniform law by itself; trees move mass across the cuts of a decision tree, alone or in turn
/// with the layers of INB.
enum class Method {
  kNb,
  kInb,
  kRandNb,
  kNbInb,
  kNbRandNb,
  kGb,
  kGbInb,
  kSinf,
  kDd,
  kTree,
  kTreeInb
};
enum class Estimator { kQuantile, kHistogram, kSpline };
/// Which rows find directions and which fit maps: all of them for both, or one half each, drawn
/// anew for every layer or cut once in file order.
enum class Split { kNone, kRandomHalf, kFixedHalf };
enum class UnitCube { kAuto, kOn, kOff };
/// Whether layers see features as they are, or their normal scores over all groups.
enum class Scaling { kNone, kNormal };
/// Whether layers align whole groups, or like with like: in kinds that are found in the data, or
/// that are the labels of the rows.
enum class Gating { kNone, kAuto, kLabel };
/// What a layer of DD whitens: principal axes of normal scores, of the normal distribution function
/// of the values as they are, or random axes.
enum class DdStack { kPca, kPcaUnscaled, kRandom };

template <class Enum>
struct EnumNames;
template <>
struct EnumNames<Method> {
  static constexpr std::array<std::pair<Method, std::string_view>, 11> kNames{{
      {Method::kNb, "nb"},
      {Method::kInb, "inb"},
      {Method::kRandNb, "rand-nb"},
      {Method::kNbInb, "nb-inb"},
      {Method::kNbRandNb, "nb-rand-nb"},
      {Method::kGb, "gb"},
      {Method::kGbInb, "gb-inb"},
      {Method::kSinf, "sinf"},
      {Method::kDd, "dd"},
      {Method::kTree, "tree"},
      {Method::kTreeInb, "tree-inb"},
  }};
};
template <>
struct EnumNames<Estimator> {
  static constexpr std::array<std::pair<Estimator, std::string_view>, 3> kNames{
      {{Estimator::kQuantile, "quantile"},
       {Estimator::kHistogram, "histogram"},
       {Estimator::kSpline, "spline"}}};
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
template <>
struct EnumNames<Scaling> {
  static constexpr std::array<std::pair<Scaling, std::string_view>, 2> kNames{
      {{Scaling::kNone, "none"}, {Scaling::kNormal, "normal"}}};
};
template <>
struct EnumNames<DdStack> {
  static constexpr std::array<std::pair<DdStack, std::string_view>, 3> kNames{
      {{DdStack::kPca, "pca"},
       {DdStack::kPcaUnscaled, "pca-unscaled"},
       {DdStack::kRandom, "random"}}};
};

template <>
struct EnumNames<Gating> {
  static constexpr std::array<std::pair<Gating, std::string_view>, 3> kNames{
      {{Gating::kNone, "none"}, {Gating::kAuto, "auto"}, {Gating::kLabel, "label"}}};
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
  std::optional<double> pseudo_count = std::nullopt;
  Index grid = 0;
  std::optional<double> strength = std::nullopt;
  GroupWeights weights = {};
  std::string target = {};
  std::optional<double> validation_fraction = std::nullopt;
  Index patience = 20;
  Gating gate = Gating::kNone;
  std::optional<Index> kinds = std::nullopt;
  Index min_kind = 30;
  std::string image = {};
  Scaling scale = Scaling::kNone;
  UnitCube unit_cube = UnitCube::kAuto;
  double unit_cube_margin = 1e-6;
  DdStack dd_stack = DdStack::kPca;
  Index tree_leaves = 10;
  double tree_uniform = 0.6;
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
  /// What a text may be, as NONE|OTHERS: the first word stands for the empty text.
  std::string_view texts = "none|TEXT";
  /// For those who study the method; short lists of options leave it out.
  bool expert = false;
};

/// Calls visit(info, field) for every option, in the order in which they are documented.
template <class Options, class Visit>
void visit_options(Options& options, Visit&& visit) {
  visit(OptionInfo{.name = "method", .help = "how the groups are aligned"}, options.method);
  visit(
      OptionInfo{.name = "layers",
                 .help = "number of layers, an opening NB or GB layer included",
                 .unset = "100 to 200 by the features, half as many again for many large groups; 1 "
                          "for nb and gb, 11 for dd",
                 .min = 1,
                 .max = 1e6},
      options.layers);
  visit(
      OptionInfo{.name = "directions",
                 .help = "directions per layer, at most the number of features",
                 .unset = "10, or 16 for many large groups; a quarter of the features with a gate",
                 .min = 1,
                 .max = 1e6},
      options.directions);
  visit(OptionInfo{.name = "search_steps",
                   .help = "steps of the search for directions; 0 keeps random ones",
                   .min = 0,
                   .max = 1e6},
        options.search_steps);
  visit(OptionInfo{.name = "polar_steps",
                   .help = "try large polar steps before the paper's line search",
                   .expert = true},
        options.polar_steps);
  visit(OptionInfo{.name = "inner_steps",
                   .help = "steps in the span of frame and gradient per step of the search; 0: one "
                           "along the gradient",
                   .min = 0,
                   .max = 1000,
                   .expert = true},
        options.inner_steps);
  visit(OptionInfo{.name = "search_rows",
                   .help = "rows per group that a search looks at, drawn anew for every layer",
                   .unset = "5000 by the number of groups, from 1000 to 2500",
                   .min = 2,
                   .max = 1e12,
                   .expert = true},
        options.search_rows);
  visit(OptionInfo{.name = "split",
                   .help = "whether directions and maps are fitted on different rows",
                   .expert = true},
        options.split);
  visit(
      OptionInfo{
          .name = "estimator", .help = "how maps along a direction are estimated", .expert = true},
      options.estimator);
  visit(OptionInfo{.name = "knots",
                   .help = "equal-mass knots of a quantile map, quantiles of a spline",
                   .unset = "the square root of the smallest group's rows, from 8 to 100",
                   .min = 1,
                   .max = 1e6},
        options.knots);
  visit(OptionInfo{.name = "bins",
                   .help = "bins of a histogram map",
                   .unset = "the square root of the number of rows it is fitted on; 40 for dd",
                   .min = 1,
                   .max = 1e6,
                   .expert = true},
        options.bins);
  visit(OptionInfo{.name = "pseudo_count",
                   .help = "mass added to every bin of a histogram map",
                   .unset = "1e-6; for dd 100, or 1 with random axes",
                   .min = 0,
                   .max = 1e6,
                   .above_min = true,
                   .expert = true},
        options.pseudo_count);
  visit(OptionInfo{.name = "grid",
                   .help = "points of the barycenter of histogram maps; 0 evaluates it exactly",
                   .min = 0,
                   .max = 1e6,
                   .expert = true},
        options.grid);
  visit(
      OptionInfo{
          .name = "strength",
          .help = "fraction of the way to the barycenter that a layer moves",
          .unset = "0.2, up to 0.4 for many large groups; 0.5 with a gate; 1 for nb, gb, tree and "
                   "opening layers",
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
                   .unset = "the barycenter of all groups; the last group for sinf",
                   .texts = "barycenter|GROUP"},
        options.target);
  visit(OptionInfo{.name = "validation_fraction",
                   .help = "fraction of each group's rows that only judge the layers; 0: none",
                   .unset = "at most 0.1 if the fit has several layers and every group 500 rows",
                   .min = 0,
                   .max = 0.9},
        options.validation_fraction);
  visit(OptionInfo{.name = "patience",
                   .help = "layers without a better held-out fit before the fit stops",
                   .min = 1,
                   .max = 1e6},
        options.patience);
  visit(
      OptionInfo{.name = "gate",
                 .help = "align like with like: in kinds found in the data (auto), or rows of the "
                         "same label; none: whole groups"},
      options.gate);
  visit(OptionInfo{.name = "kinds",
                   .help = "kinds of a gate that are found in the data",
                   .unset = "one per 300 rows, from 2 to 8",
                   .min = 1,
                   .max = 1000,
                   .expert = true},
        options.kinds);
  visit(OptionInfo{.name = "min_kind",
                   .help =
                       "rows that a group needs in a kind to get maps there; with fewer it is only "
                       "shifted",
                   .min = 2,
                   .max = 1e9,
                   .expert = true},
        options.min_kind);
  visit(OptionInfo{.name = "image",
                   .help = "HEIGHTxWIDTH[xCHANNELS] of rows that are images: every second layer "
                           "then looks at a random patch only",
                   .unset = "no patches",
                   .texts = "none|HxW"},
        options.image);
  visit(OptionInfo{.name = "scale",
                   .help = "normal: use normal scores, for features in different units"},
        options.scale);
  visit(OptionInfo{.name = "unit_cube",
                   .help = "work on normal scores of values in [0, 1]; auto: if all values are"},
        options.unit_cube);
  visit(OptionInfo{.name = "unit_cube_margin",
                   .help = "distance from 0 and 1 where normal scores go on as straight lines",
                   .min = 1e-12,
                   .max = 0.1,
                   .expert = true},
        options.unit_cube_margin);
  visit(
      OptionInfo{.name = "dd_stack",
                 .help = "what the layers of dd whiten: principal axes of standardised values, of "
                         "the values as they are, or random axes",
                 .expert = true},
      options.dd_stack);
  visit(OptionInfo{.name = "tree_leaves",
                   .help = "leaves of the decision tree of a tree layer",
                   .min = 2,
                   .max = 1e4,
                   .expert = true},
        options.tree_leaves);
  visit(OptionInfo{.name = "tree_uniform",
                   .help = "share of even mass that is mixed into the leaves of a tree layer",
                   .min = 0,
                   .max = 1,
                   .above_min = true,
                   .expert = true},
        options.tree_uniform);
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

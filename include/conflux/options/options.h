// What can be chosen about a fit.
//
// fit_options.inc is the only source of option names, defaults, ranges, help and of the methods
// that use them: visit_options() tells them field by field to validation, to the command line, to
// model files and to other languages.

#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conflux/core/index.h"
#include "conflux/options/automatic.h"
#include "conflux/options/group_weights.h"
#include "conflux/options/methods.h"

namespace conflux {

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
/// What held-out rows judge the layers by.
enum class Judging { kDivergence, kGuess };
/// What a layer of DD whitens: principal axes of normal scores, of the normal distribution function
/// of the values as they are, or random axes.
enum class DdStack { kPca, kPcaUnscaled, kRandom };

template <class Enum>
struct EnumNames;
template <>
struct EnumNames<Method> {
  static constexpr auto kNames = [] {
    std::array<std::pair<Method, std::string_view>, kMethods.size()> out{};
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = {kMethods[i].id, kMethods[i].name};
    return out;
  }();
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
struct EnumNames<Judging> {
  static constexpr std::array<std::pair<Judging, std::string_view>, 2> kNames{
      {{Judging::kDivergence, "divergence"}, {Judging::kGuess, "guess"}}};
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
#define CONFLUX_OPTION(type, name, value, ...) type name = value;
#include "conflux/options/fit_options.inc"
};

struct OptionInfo {
  std::string_view name;
  std::string help;
  /// What leaving an optional field unset (or a text empty) means.
  std::string unset = "";
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  /// Whether `min` itself is out of range.
  bool above_min = false;
  /// What a text may be, as NONE|OTHERS: the first word stands for the empty text.
  std::string_view texts = "none|TEXT";
  /// For those who study the method; short lists of options leave it out.
  bool expert = false;
  /// Other methods refuse it.
  MethodSet used_by = kAllMethods;
};

/// The methods that look for directions.
inline constexpr MethodSet kSearchingMethods = methods_where([](const MethodInfo& each) {
  return each.has("sliced") && !each.fixes_option("search_steps");
});
/// The methods that leave a choice of the maps on a line.
inline constexpr MethodSet kMethodsWithEstimator = methods_where([](const MethodInfo& each) {
  return (each.has("sliced") || each.has("coordinate")) && !each.fixes_option("estimator");
});
/// The methods whose layers may be gated: all of them are sliced, after the first.
inline constexpr MethodSet kGatedMethods = methods_where([](const MethodInfo& each) {
  return each.turn == "sliced" && !each.fixes_option("estimator");
});
/// The methods that move groups to each other.
inline constexpr MethodSet kMethodsWithBarycenter =
    methods_where([](const MethodInfo& each) { return !each.to_uniform; });

/// The text with a number in place of each {}.
std::string with_numbers(std::string_view text, std::initializer_list<double> numbers);

/// Calls visit(info, field) for every option, in the order in which they are documented.
template <class Options, class Visit>
void visit_options(Options& options, Visit&& visit) {
  using namespace automatic;
#define CONFLUX_OPTION(type, field, value, ...) \
  visit(OptionInfo{.name = #field, __VA_ARGS__}, options.field);
#include "conflux/options/fit_options.inc"
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

/// The options with the defaults of those that the method does not use: for whoever sets options
/// without looking at the method.
FitOptions without_ignored(const FitOptions& options);

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
/// when an option does not suit the data, or was set although the method does not use it.
FitOptions resolve(const FitOptions& options, const DataShape& data);

}  // namespace conflux

// The options as a table: their names, ranges, help, the methods that use them, and the names of
// their values.
//
// visit_options() passes them one by one to validation, the command line, model files and other
// languages.

#pragma once

#include <array>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "conflux/options/options.h"
#include "options/automatic.h"
#include "options/methods.h"

namespace conflux {

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
struct EnumNames<DdStack> {
  static constexpr std::array<std::pair<DdStack, std::string_view>, 3> kNames{
      {{DdStack::kPca, "pca"},
       {DdStack::kPcaUnscaled, "pca-unscaled"},
       {DdStack::kRandom, "random"}}};
};

template <>
struct EnumNames<Judging> {
  static constexpr std::array<std::pair<Judging, std::string_view>, 2> kNames{
      {{Judging::kDivergence, "divergence"}, {Judging::kPrediction, "prediction"}}};
};
template <>
struct EnumNames<Goal> {
  static constexpr std::array<std::pair<Goal, std::string_view>, 3> kNames{
      {{Goal::kAuto, "auto"}, {Goal::kTransfer, "transfer"}, {Goal::kHide, "hide"}}};
};
template <>
struct EnumNames<Gating> {
  static constexpr std::array<std::pair<Gating, std::string_view>, 5> kNames{
      {{Gating::kAuto, "auto"},
       {Gating::kNone, "none"},
       {Gating::kClusters, "clusters"},
       {Gating::kLabel, "label"},
       {Gating::kKept, "kept"}}};
};

template <class Enum>
constexpr std::string_view name_of(Enum value) {
  for (const auto& [each, name] : EnumNames<Enum>::kNames) {
    if (each == value) return name;
  }
  return "?";
}

struct OptionInfo {
  std::string_view name;
  std::string help;
  /// Meaning of an unset optional field (or an empty text).
  std::string unset = "";
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  /// Whether `min` itself is out of range.
  bool above_min = false;
  /// Values of a text option, as NONE|OTHERS: the first word stands for the empty text.
  std::string_view texts = "none|TEXT";
  /// For studies of the method; short lists of options omit it.
  bool expert = false;
  /// Other methods refuse it.
  MethodSet used_by = kAllMethods;
};

/// The methods that search directions.
inline constexpr MethodSet kSearchingMethods = methods_where([](const MethodInfo& each) {
  return each.has("sliced") && !each.fixes_option("search_steps");
});
/// The methods with an option for the estimator of maps on a line.
inline constexpr MethodSet kMethodsWithEstimator = methods_where([](const MethodInfo& each) {
  return (each.has("sliced") || each.has("coordinate")) && !each.fixes_option("estimator");
});
/// The methods with options for matching standard deviations, and for shrinking moments.
inline constexpr MethodSet kMethodsWithScales = methods_where([](const MethodInfo& each) {
  return each.has("location-scale") && !each.fixes_option("scales");
});
inline constexpr MethodSet kMethodsWithShrinkage = methods_where([](const MethodInfo& each) {
  return (each.has("location-scale") || each.has("affine")) && !each.fixes_option("shrinkage");
});
/// The methods whose layers may be gated: all of them are sliced, after the first.
inline constexpr MethodSet kGatedMethods = methods_where([](const MethodInfo& each) {
  return each.turn == "sliced" && !each.fixes_option("estimator");
});
/// Whether all layers of a method can be gated by covariates.
constexpr bool gates_by_covariates(Method method) {
  const MethodInfo& info = method_info(method);
  return info.turn == "sliced" && info.opens.empty() && info.other_turn.empty() &&
         info.then.empty() && !info.fixes_option("estimator");
}
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

}  // namespace conflux

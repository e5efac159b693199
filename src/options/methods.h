// The methods: one row of a table each.
//
// A method is a stack of layers. What it opens with is fitted once; the kinds it turns to are
// fitted again and again, in turn. Everything else that a method does differently stands in its
// row, so that no other place asks which method it is. docs/math.md has the formulas.

#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "conflux/options/options.h"
#include "options/automatic.h"

namespace conflux {

/// Options and their values, as in "layers=1 strength=0.5".
using Settings = std::string_view;

struct MethodInfo {
  Method id;
  std::string_view name;
  std::string_view help;
  /// The kind of the first layer; empty if it is that of `turn`.
  std::string_view opens = {};
  /// The kind of the layers after it, and another one if they take turns; none if the first layer
  /// is all.
  std::string_view turn = {};
  std::string_view other_turn = {};
  /// The kinds of the layers that are tried afterwards and kept while unseen rows gain by them, and
  /// the fractions of the way that they move.
  std::string_view then = {};
  double then_strength = 1;
  std::string_view at_last = {};
  double last_strength = 1;
  /// Options that the method leaves no choice about.
  Settings fixes = {};
  /// Fraction of the distance that the layers of main_kind() move by default; 0: chosen by the
  /// data.
  double strength = 0;
  /// Its layers look for evidence themselves and end when there is none.
  bool ends_by_itself = false;
  /// All other groups move to the last one unless a target is given.
  bool to_last_group = false;
  /// Every group goes to the uniform law by itself: layers see values as they are, and volumes tell
  /// densities.
  bool to_uniform = false;
  /// Options in which the paper's runs of this method differ from its runs of INB: always, with two
  /// groups, with more.
  Settings paper = {};
  Settings paper_two = {};
  Settings paper_many = {};

  /// Cost of a fit in terms of n rows, d features, L layers, K directions and J steps of a search.
  std::string_view cost = {};

  constexpr bool one_layer() const { return turn.empty(); }
  constexpr bool has(std::string_view kind) const {
    return opens == kind || turn == kind || other_turn == kind || then == kind || at_last == kind;
  }
  /// The kind that the option `strength` is about; others move all the way.
  constexpr std::string_view main_kind() const {
    if (one_layer()) return opens;
    return other_turn.empty() ? turn : other_turn;
  }
  /// The kind of layer number `layer`.
  constexpr std::string_view kind_of(long long layer) const {
    if (one_layer() || (layer == 0 && !opens.empty())) return opens;
    return other_turn.empty() || layer % 2 == 0 ? turn : other_turn;
  }
  constexpr bool fixes_option(std::string_view option) const {
    return fixes.find(option) != std::string_view::npos;
  }
};

inline constexpr std::array kMethods{
    MethodInfo{.id = Method::kAuto,
               .name = "auto",
               .help = "chooses by held-out rows and features, from no correction to cascade",
               .turn = "sliced",
               .then = "conditional",
               .then_strength = automatic::kStrengthOfConditional,
               .at_last = "tree",
               .last_strength = automatic::kStrengthOfOthers,
               .cost = "that of the chosen method and of fits of a sample by each"},
    MethodInfo{
        .id = Method::kCascade,
        .name = "cascade",
        .help = "inb, then conditional maps, then trees, each while held-out rows gain by it",
        .turn = "sliced",
        .then = "conditional",
        .then_strength = automatic::kStrengthOfConditional,
        .at_last = "tree",
        .last_strength = automatic::kStrengthOfOthers,
        .cost = "L J n K (d + log n), then trees"},
    MethodInfo{.id = Method::kMeans,
               .name = "means",
               .help = "matches the mean of every feature",
               .opens = "location-scale",
               .fixes = "layers=1 scales=off shrinkage=off",
               .strength = 1,
               .cost = "n d"},
    MethodInfo{.id = Method::kLocationScale,
               .name = "location-scale",
               .help = "matches mean and standard deviation of every feature, with ComBat's "
                       "empirical Bayes shrinkage",
               .opens = "location-scale",
               .fixes = "layers=1",
               .strength = 1,
               .cost = "n d"},
    MethodInfo{.id = Method::kNb,
               .name = "nb",
               .help = "one increasing map per feature",
               .opens = "coordinate",
               .fixes = "layers=1",
               .strength = 1,
               .cost = "n d log n"},
    MethodInfo{.id = Method::kInb,
               .name = "inb",
               .help = "layers of maps along the directions in which groups differ most",
               .turn = "sliced",
               .cost = "L J n K (d + log n)"},
    MethodInfo{.id = Method::kRandNb,
               .name = "rand-nb",
               .help = "the same along random directions",
               .turn = "sliced",
               .fixes = "search_steps=0",
               .cost = "L n K (d + log n)"},
    MethodInfo{.id = Method::kNbInb,
               .name = "nb-inb",
               .help = "nb, then inb",
               .opens = "coordinate",
               .turn = "sliced",
               .cost = "L J n K (d + log n)"},
    MethodInfo{.id = Method::kNbRandNb,
               .name = "nb-rand-nb",
               .help = "nb, then rand-nb",
               .opens = "coordinate",
               .turn = "sliced",
               .fixes = "search_steps=0",
               .cost = "L n K (d + log n)"},
    MethodInfo{.id = Method::kGb,
               .name = "gb",
               .help = "matches means and covariances",
               .opens = "affine",
               .fixes = "layers=1",
               .strength = 1,
               .paper = "shrinkage=off",
               .cost = "n d^2 + d^3"},
    MethodInfo{.id = Method::kGbInb,
               .name = "gb-inb",
               .help = "gb, then inb",
               .opens = "affine",
               .turn = "sliced",
               .paper = "shrinkage=off",
               .cost = "n d^2 + d^3 + L J n K (d + log n)"},
    MethodInfo{.id = Method::kSinf,
               .name = "sinf",
               .help = "all groups to one of them, along the directions of inb",
               .turn = "sliced",
               .fixes = "estimator=spline",
               .strength = automatic::kStrengthOfOthers,
               .to_last_group = true,
               .paper = "split=none knots=400 unit_cube=off",
               .cost = "L J n K (d + log n)"},
    MethodInfo{.id = Method::kDd,
               .name = "dd",
               .help = "maps every group, by itself, to the uniform distribution",
               .turn = "destructor",
               .fixes = "split=none strength=1 validation_fraction=0",
               .to_uniform = true,
               .paper_two = "dd_stack=random layers=16",
               // Values as they are may lie five deviations out, where the published scores still
               // bend. Not the default: what lies far outside could not be undone.
               .paper_many = "dd_stack=pca-unscaled layers=31 unit_cube_margin=1e-12",
               .cost = "L (n d log n + n d^2)"},
    MethodInfo{.id = Method::kTree,
               .name = "tree",
               .help = "mass moves across the cuts of decision trees",
               .turn = "tree",
               .strength = 1,
               .paper = "tree_uniform=0.9",
               .cost = "L n d log n"},
    MethodInfo{.id = Method::kTreeInb,
               .name = "tree-inb",
               .help = "layers of tree and inb in turn",
               .turn = "tree",
               .other_turn = "sliced",
               .strength = automatic::kStrengthOfOthers,
               .cost = "L (n d log n + J n K (d + log n))"},
    MethodInfo{.id = Method::kConditional,
               .name = "conditional",
               .help = "maps one feature given the others, feature after feature, while groups "
                       "differ beyond chance",
               .turn = "conditional",
               .strength = automatic::kStrengthOfConditional,
               .ends_by_itself = true,
               .cost = "L n d log n"},
};

constexpr const MethodInfo& method_info(Method method) {
  for (const MethodInfo& each : kMethods) {
    if (each.id == method) return each;
  }
  return kMethods.front();
}

/// A set of methods, one bit each.
using MethodSet = unsigned;
inline constexpr MethodSet kAllMethods = ~MethodSet{0};

constexpr MethodSet only(Method method) { return MethodSet{1} << static_cast<unsigned>(method); }

/// The methods for which `holds`(row of the table).
template <class Holds>
constexpr MethodSet methods_where(Holds holds) {
  MethodSet out = 0;
  for (const MethodInfo& each : kMethods) {
    if (holds(each)) out |= only(each.id);
  }
  return out;
}

/// The methods with layers of one of these kinds.
constexpr MethodSet methods_with(std::string_view kind, std::string_view other = "-",
                                 std::string_view third = "-") {
  return methods_where(
      [&](const MethodInfo& each) { return each.has(kind) || each.has(other) || each.has(third); });
}

}  // namespace conflux

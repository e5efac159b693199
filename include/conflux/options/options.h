// The options of a fit.
//
// fit_options.inc is the only source of option names, defaults, ranges, help and of the methods
// that use them.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conflux/core/index.h"

namespace conflux {

// How many rows of a group are taken at most. As text: a number, or `all`.

struct RowLimit {
  static constexpr Index kAll = std::numeric_limits<Index>::max();

  RowLimit() = default;
  RowLimit(Index most) : rows(most) {}

  bool operator==(const RowLimit&) const = default;
  bool all() const { return rows == kAll; }

  Index rows = kAll;
};

// How much each group counts in the barycenter.
//
// As text: `uniform`, `size` (proportional to its rows), or one number per group, `1,2,0.5`.

struct GroupWeights {
  enum class Kind { kUniform, kSize, kList };

  GroupWeights() = default;
  explicit GroupWeights(Kind which) : kind(which) {}
  GroupWeights(std::vector<double> each) : kind(Kind::kList), list(std::move(each)) {}
  GroupWeights(std::initializer_list<double> each) : kind(Kind::kList), list(each) {}

  bool operator==(const GroupWeights&) const = default;

  Kind kind = Kind::kUniform;
  /// Empty unless `kind` is kList.
  std::vector<double> list = {};
};

/// Numbers so exact that reading them back gives the same bits.
std::string to_text(const GroupWeights& weights);

/// Throws InvalidOption when the text is none of the three forms.
GroupWeights parse_group_weights(std::string_view text);

/// One weight per group, with sum 1. Throws InvalidOption when the list does not suit the groups.
std::vector<double> normalized_weights(const GroupWeights& weights,
                                       const std::vector<Index>& group_sizes);

/// How the groups are aligned; docs/math.md has the formulas.
enum class Method {
  kAuto,
  kCascade,
  kMeans,
  kLocationScale,
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
  kTreeInb,
  kConditional
};

enum class Estimator { kQuantile, kHistogram, kSpline };
/// Which rows find directions and which fit maps: all of them for both, or one half each, drawn
/// anew for every layer or cut once in file order.
enum class Split { kNone, kRandomHalf, kFixedHalf };
enum class UnitCube { kAuto, kOn, kOff };
/// Whether layers align whole groups, or rows within clusters that are found in the data, within
/// labels, or with similar covariates.
enum class Gating { kAuto, kNone, kClusters, kLabel, kKept };
/// Score of the validation rows, by which early stopping decides.
enum class Judging { kDivergence, kPrediction };
/// Purpose of an alignment, which decides how far the automatic fit goes: until rows of the same
/// class are nearest to each other across groups (transfer), or until the group cannot be predicted
/// (hide).
enum class Goal { kAuto, kTransfer, kHide };
/// Axes that a layer of DD whitens along: principal axes of normal scores, principal axes of the
/// normal distribution function of the values as they are, or random axes.
enum class DdStack { kPca, kPcaUnscaled, kRandom };

struct FitOptions {
#define CONFLUX_OPTION(type, name, value, ...) type name = value;
#include "conflux/options/fit_options.inc"
};

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

/// Shape of the data, by which unset options get their values.
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

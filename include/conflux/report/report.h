// A report on what a model does to rows: facts first, then one page that shows them.
//
//   const Report report = make_report(model, groups, {.model_path = "cells.conflux"});
//   std::ofstream("report.html") << report_html(report);
//
// The page answers eight questions in order: is there a difference, where, did it work, what moved
// and how far, were labels fused, can new rows be trusted, when and why did the fit stop, and how
// does a row look in another group. It is one file that needs neither a network nor JavaScript. It
// holds the numbers of its pictures and never the table; it states at its end how many rows' values
// it holds, which is as many as asked for.
//
// Figures are those of check() and evaluate() on the same rows. The same model, rows, options and
// seed give the same bytes on any number of threads.
//
// Cost: that of check() and evaluate(), and some passes over at most 20,000 rows; nothing grows
// with the square of the number of groups.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conflux/comparing/check.h"
#include "conflux/core/group_set.h"
#include "conflux/judging/evaluation.h"
#include "conflux/model/model.h"

namespace conflux {

/// Version of the JSON form; docs/report.md describes it.
inline constexpr int kReportVersion = 1;

struct ReportOptions {
  /// Rows drawn in the scatter plots, of all groups together, sampled by seed; 0: none.
  Index rows = 2'000;
  /// Whether the page shows amount_curve() of the rows.
  bool curve = false;
  std::uint64_t seed = 0;
  int threads = 0;
  /// Names of the files in the commands of the advice; empty: placeholders.
  std::string model_path = {};
  std::vector<std::string> data_paths = {};
  /// Rows of each group in the table that `groups` was drawn from; empty: it holds all.
  std::vector<Index> table_rows = {};
  /// Called with the name of what is being computed.
  std::function<void(const std::string&)> progress = {};
};

/// A figure of the top of the page.
struct Headline {
  std::string name;
  std::string value;
  /// The meaning of the figure, or its chance level.
  std::string note;
};

struct ReportAdvice {
  std::string sentence;
  /// A command that can be copied; may be empty.
  std::string command = {};
};

/// Densities of one feature, a row per group, over equal steps from `low` to `high`.
struct FeatureDensities {
  Index feature = 0;
  double low = 0;
  double high = 0;
  Matrix before = {};
  Matrix after = {};
  /// Coordinates of marks and what they say in the units of the data.
  std::vector<std::pair<double, std::string>> marks = {};
};

/// How one feature differs before and after.
struct FeatureChange {
  std::string name;
  FeatureDifference before = {};
  FeatureDifference after = {};
};

/// Rows on a plane: linear, so that distances mean something.
struct RowView {
  std::string x_name;
  std::string y_name;
  /// Share of the squared moves, or of the variance, that the plane shows.
  double share = 1;
  std::string share_of;
  /// Frames of a path: the number of layers before each frame, from none to all, and the positions
  /// of the rows.
  std::vector<Index> layers = {};
  std::vector<Matrix> places = {};
  std::vector<Index> group_of = {};

  const Matrix& before() const { return places.front(); }
  const Matrix& after() const { return places.back(); }
};

/// Lines of a grid over the rows of a group, and where its maps take them; of two features.
struct WarpedGrid {
  Index group = 0;
  std::vector<Matrix> before = {};
  std::vector<Matrix> after = {};
};

/// Features that are pixels of an image, by their names.
struct PixelGrid {
  Index height = 0;
  Index width = 0;
  /// For each feature, line by line.
  std::vector<Index> place = {};
};

/// Labels of the nearest rows of the rows of each label, or the same of clusters that were found.
struct Neighborhoods {
  bool labels = true;
  /// True if these rows have no labels, and the neighborhoods are of the rows that scored the fit.
  bool of_fit = false;
  std::vector<std::string> clusters = {};
  std::vector<Index> rows = {};
  /// (a, b): the share of rows of cluster b among the nearest rows of those of cluster a.
  Matrix before = {};
  Matrix after = {};
  Index nearest = 0;

  struct Fused {
    Index cluster = 0;
    Index with = 0;
  };
  /// Where a share of another kind has risen by more than a tenth.
  std::vector<Fused> fused = {};
};

/// Fraction of maps beyond whose outer knots rows lie.
struct Reach {
  Index maps = 0;
  /// Rows by their share of such maps: 20 bins from 0 to 1.
  std::vector<Index> counts = {};
  /// The share that 99 of 100 rows stay below.
  double most = 0;
  /// Fraction of rows with a share above a quarter.
  double far = 0;
  /// The share that 99 of 100 rows of the fit stay below, and the fraction of these rows that do
  /// not; unset when the fit has not looked.
  std::optional<double> fitted_most = std::nullopt;
  std::optional<double> beyond_fitted = std::nullopt;

  /// True if the rows are unlike those of the fit. For new rows of the same distribution
  /// `beyond_fitted` is 1 % after a fit of many rows, but up to 30 % after one of 100 to 500 rows
  /// per group, whose own rows lie within knots that were made of them. In 40 such fits
  /// (studies/new_rows_study.py, 40) such rows are above this limit twice, and rows with one
  /// feature shifted by two standard deviations 35 times; above 0.1 are 21 and 40.
  bool unlike_fitted() const { return beyond_fitted.value_or(0) > 0.25; }
};

/// A row as every group, in the units of the data.
struct RowElsewhere {
  std::string name;
  Index group = 0;
  /// Its position in the view.
  Index row = 0;
  /// One line per feature that is shown, one text per group.
  std::vector<std::vector<std::string>> values = {};
  /// All features as every group, if they are pixels.
  std::vector<std::vector<double>> pixels = {};
};

struct Report {
  std::string model_name = {};
  std::vector<std::string> data_names = {};
  std::string group_column = {};
  std::string label_column = {};
  std::vector<std::string> group_names = {};
  std::vector<std::string> feature_names = {};
  std::vector<Index> group_sizes = {};
  /// Rows of the table, and of each group those that the pictures are made of.
  Index all_rows = 0;
  std::vector<Index> rows_looked_at = {};
  std::uint64_t seed = 0;
  /// Whether these rows are those of the fit.
  bool fitted_rows = false;

  Verdict verdict = Verdict::kTooFewRows;
  /// The verdict in a sentence, then the cautions, then which rows were scored.
  std::vector<std::string> sentences = {};
  /// Reasons to look twice although the groups came closer ("aligned", "reduced", or "below chance"
  /// of rows that differed before): mixed labels, lost neighbors, rows outside the range of the
  /// fit, training scores.
  std::vector<std::string> cautions = {};
  std::vector<Headline> headlines = {};
  std::vector<ReportAdvice> advice = {};

  /// Unset when the groups are too few or too small.
  std::optional<CheckReport> check = std::nullopt;
  Evaluation evaluation = {};
  /// In the order of the features, and positions from the worst on.
  std::vector<FeatureChange> features = {};
  std::vector<Index> worst_features = {};
  /// Energy distances between groups, before and after; empty for two groups and for many.
  Matrix pairs_before = {};
  Matrix pairs_after = {};
  std::vector<FeatureDensities> densities = {};
  /// Quantiles of the moves of each group (rows), in deviations within groups, from 1 % to 99 %.
  std::vector<double> move_levels = {};
  Matrix move_quantiles = {};
  /// Empty unless asked for.
  std::vector<AmountPoint> curve = {};
  /// Unset when no rows are to be shown.
  std::optional<RowView> view = std::nullopt;
  /// Empty unless there are two features.
  std::vector<WarpedGrid> grids = {};
  std::optional<PixelGrid> pixels = std::nullopt;
  std::optional<Neighborhoods> neighborhoods = std::nullopt;
  std::optional<Reach> reach = std::nullopt;
  FitRecord record = {};
  std::vector<Index> elsewhere_features = {};
  std::vector<Index> elsewhere_groups = {};
  std::vector<RowElsewhere> elsewhere = {};
  /// Rows of which the page holds any values.
  Index rows_inside = 0;
};

/// Groups are found in the model by their names. Throws InvalidData for a group that it does not
/// know.
Report make_report(const Model& model, const GroupSet& groups, const ReportOptions& options = {});

/// One object, version kReportVersion.
std::string report_json(const Report& report);

/// The whole page.
std::string report_html(const Report& report);

}  // namespace conflux

// A covariate: a column that layers may read and never move, as coordinates of a row.
//
// A number is standardized; a smooth number has a natural cubic spline, which is linear beyond its
// outer knots; a cyclic number has sines and cosines of its phase; a category has an indicator for
// every value but the most frequent one. If the fit had missing cells, one more coordinate
// indicates them. All coordinates have mean 0 and standard deviation 1 over the rows of the fit.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conflux/core/index.h"
#include "conflux/tables/table.h"

namespace conflux {

enum class CovariateKind { kLinear, kSmooth, kCyclic, kCategory };

struct Covariate {
  std::string name;
  CovariateKind kind = CovariateKind::kLinear;
  /// For a cyclic number: its period, such as 12 for months.
  double period = 0;
  /// For a cyclic number: number of harmonics; 1 is the cycle itself, 2 adds half the period, and
  /// so on.
  Index harmonics = 0;
  /// For a smooth number: at least three knots of its spline, increasing.
  std::vector<double> knots = {};
  /// For a category: its values; the first has no coordinate of its own.
  std::vector<std::string> categories = {};
  /// Whether the last coordinate indicates missing cells.
  bool tells_missing = false;
  /// Mean and standard deviation of each coordinate over the rows of the fit.
  std::vector<double> centers = {};
  std::vector<double> scales = {};

  /// For a number that is not cyclic: the smallest and the largest value of the fit; unset in files
  /// of earlier versions.
  std::optional<double> low = {};
  std::optional<double> high = {};

  bool category() const { return kind == CovariateKind::kCategory; }
  /// Whether a cell is a number outside of the range of the fit, where effects are extrapolated.
  bool beyond(const Column& column, Index row) const;
  Index width() const;
  /// "age", "age (2)", "sex=male", "age missing", ...
  std::vector<std::string> coordinate_names() const;
  /// How it is used, for people.
  std::string describe() const;
  /// Writes the coordinates of a cell. NaN, except for the indicator of missing cells, if the cell
  /// is missing or a category that the fit has not seen.
  void coordinates(const Table& table, const Column& column, Index row, double* out) const;
  bool knows(const Column& column, Index row) const;
};

/// Splits "month:cyclic:12" into a column and its type. A column whose name has a colon comes
/// first.
struct KeptColumn {
  std::string name;
  /// linear, smooth, cyclic, cyclic:PERIOD, category; empty: found in the data.
  std::string word = {};
};
KeptColumn kept_column(const std::string& text, const std::vector<std::string>& columns);

/// How the cells of a column become coordinates. Throws InvalidOption for words that do not suit
/// the column, InvalidData for one that is the same in all rows or has too many values.
Covariate find_covariate(const Table& table, const KeptColumn& kept);

}  // namespace conflux

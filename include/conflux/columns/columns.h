// The types, units and scales of the columns of a table, as part of a model: rows of a table become
// coordinates that a flow can move, and moved coordinates become rows of a table again.
//
//   const Columns columns = find_columns(table, groups, names.size(), options, workers);
//   Matrix rows = columns.coordinates(table, workers);          // NaN where a cell is missing
//   columns.fill_missing(rows, group);                          // by what is expected there
//   ... the flow moves the rows ...
//   columns.put_values(table, rows, from, to, workers);         // values that the group can have
//
// The noise that spreads repeated values is drawn from the seed, the column, and the position of
// the row or its key: the same bits on every run, for any number of threads and any size of blocks,
// and with a key in any order of the rows.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "conflux/columns/covariate.h"
#include "conflux/core/index.h"
#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"
#include "conflux/tables/table.h"

namespace conflux {

// One feature of a table: what its values mean, and how a value becomes a coordinate.
//
// A value is spread first and scaled then. Spreading moves a value that many rows share, an atom,
// to a point of its cell, an interval that no other value uses: a whole number owns half a unit on
// either side; the cell of any other atom pushes the numbers above it aside, that of an atom on the
// edge of the support lies beyond that edge. What is spread no longer repeats, and still has the
// units of the data. Scaling is an increasing map of the line, the same for all groups. The way
// back undoes the scale and takes every point of a cell to its atom, so that a row of a group
// returns to the bit.
//
// A row that is shown as another group must look like that group. Its values are therefore also
// taken to the nearest value that this group holds, if the feature has few values, and kept within
// the support.

/// Numbers that hardly repeat; multiples of 1, 0.1, 0.01 ...; numbers among which some values are
/// shared by many rows; texts.
enum class FeatureKind { kNumber, kWhole, kRepeated, kCategory };

/// Whether coordinates are the spread values as they are, divided by their spread, or their normal
/// scores over the rows of all groups.
enum class FeatureScale { kNone, kStandard, kNormal };

/// An interval; infinite where there is no bound.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool contains(double x) const { return low <= x && x <= high; }
  bool operator==(const Interval&) const = default;
};

/// A value that many rows share, and the interval that it is spread over.
struct Atom {
  double value = 0;
  Interval cell = {};
  /// Largest share of the rows of a group that have this value.
  double share = 0;
};

/// The values of one feature in one group.
struct HeldValues {
  /// From the smallest value to the largest; empty (low above high) when all are missing.
  Interval range = {};
  /// All distinct values, increasing; empty if there are too many.
  std::vector<double> values = {};
};

struct Feature {
  std::string name;
  FeatureKind kind = FeatureKind::kNumber;
  FeatureScale scale = FeatureScale::kNone;
  Interval support = {};
  /// Values are multiples of 10^-decimals; -1: of nothing.
  int decimals = -1;
  /// Increasing. Of a feature with decimals only those values that are shared by many rows.
  std::vector<Atom> atoms = {};
  /// Whether cells push other numbers aside. In models of version 0.1.0 they are slivers around
  /// their atoms, too narrow for numbers between atoms to return with all digits.
  bool makes_room = false;
  /// Whether repeated values are spread. If not, a value is its own point: corrections that only
  /// shift, scale or rotate need no noise. Values still fit the group on the way back.
  bool spreads = true;
  /// The text of value 0, 1, ...; of categories only.
  std::vector<std::string> categories = {};
  /// Above 0: what is scaled is arcsinh(spread value / cofactor), as cytometrists look at it.
  double cofactor = 0;
  /// Knots of the scale: curved spread values and their coordinates, both strictly increasing. The
  /// outer slopes go on beyond them. Empty: coordinates are curved spread values.
  std::vector<double> spread_knots = {};
  std::vector<double> coordinate_knots = {};
  /// Numbers such as -999 that stand for missing cells, increasing.
  std::vector<double> missing_codes = {};
  /// The values in each group, in the order of the groups.
  std::vector<HeldValues> held = {};

  bool is_missing_code(double value) const {
    return std::find(missing_codes.begin(), missing_codes.end(), value) != missing_codes.end();
  }
  bool category() const { return kind == FeatureKind::kCategory; }
  /// Whether coordinates differ from values or are moved back otherwise than they came.
  bool as_it_is() const;

  /// A point of the interval of `value`, at the fraction `place` in (0, 1) of its length. A value
  /// without an interval, which new data may have, gets a point outside all intervals.
  double spread(double value, double place) const;
  bool has_cell(double value) const;
  /// The value whose interval a point lies in, or that has this point for itself.
  double gathered(double point) const;
  /// The value that a point stands for in a group that it does not come from.
  double fitted_to_group(double point, Index group) const;

  /// The arcsinh of a spread value, and back; both do nothing without a cofactor.
  double curved(double point) const { return cofactor > 0 ? std::asinh(point / cofactor) : point; }
  double straight(double curved) const {
    return cofactor > 0 ? cofactor * std::sinh(curved) : curved;
  }

  double coordinate(double point) const;
  double point(double coordinate) const;
  /// Coordinates per unit of the data, at a coordinate.
  double slope(double coordinate) const;

  /// Position of a text among the categories; -1 when it is new.
  Index category_of(const std::string& text) const;

 private:
  double beside_cells(double value) const;
  double from_beside_cells(double point) const;
  /// How far numbers above an atom are pushed by cells; -1: numbers below all atoms.
  double pushed_above(Index atom) const;
};

/// Rows with missing cells: moved as if the missing features had their expected values; refused;
/// or left out of the fit, and moved like those of kAuto later. Numbers such as -999 that lie far
/// from all others count as missing, unless by kEmpty, which is kAuto otherwise.
enum class MissingRule { kAuto, kRefuse, kDrop, kEmpty };

/// A column that is no feature.
struct CarriedColumn {
  std::string name;
  std::string why;
};

/// Mean and covariance of the coordinates of a group, from which missing ones are expected. An
/// empty covariance stands for features that say nothing of each other.
struct ExpectedRow {
  Vector mean;
  Matrix covariance;
};

/// A group whose values of a feature seem to have another unit or origin than those of the other
/// groups.
struct UnitDoubt {
  std::string column;
  Index group = 0;
  /// The suspicious fact, worded to follow the name of the group.
  std::string what;
};

class Columns {
 public:
  std::vector<Feature> features = {};
  /// Columns that layers may read and never move. Their coordinates follow those of the features.
  std::vector<Covariate> kept = {};
  /// For each group, the mean coordinates of the covariates over the cells that are present. They
  /// replace missing cells.
  std::vector<Vector> kept_means = {};
  std::vector<CarriedColumn> carried = {};
  MissingRule missing = MissingRule::kAuto;
  std::uint64_t seed = 0;
  /// Column with an id per row, on which its noise depends; empty: noise depends on the position.
  std::string key = {};
  /// One per group.
  std::vector<ExpectedRow> expected = {};
  /// The same in the shared space, for all groups; what joins later does not change it.
  ExpectedRow shared = {};
  /// One sentence on how features are scaled, and why.
  std::string scale_reason = {};
  /// Warnings about the data of the fit; model files do not keep them.
  std::vector<UnitDoubt> doubts = {};
  /// Whether all features together are images, one pixel each.
  bool pixels = false;
  std::vector<Index> gaps = {};  // features of which cells were missing

  /// Without columns a model takes coordinates as they are.
  bool empty() const { return features.empty(); }
  std::vector<std::string> feature_names() const;
  /// Coordinates of the covariates, and of a whole row.
  Index num_covariates() const;
  Index width() const { return static_cast<Index>(features.size()) + num_covariates(); }
  /// Names of all coordinates of a row: features, then covariates.
  std::vector<std::string> coordinate_names() const;
  /// Features that text files spell as they like; all others are numbers.
  std::vector<std::string> category_names() const;

  /// The name of each row's random stream: a hash of its key, or its position.
  std::vector<std::uint64_t> row_names(const Table& table) const;

  /// Rows of a table of values as coordinates, one per feature and then those of the covariates;
  /// NaN where a cell is missing or is a category that the fit has not seen. Throws InvalidData for
  /// an infinite number, and for a missing cell if these are refused.
  Matrix coordinates(const Table& table, const Workers& workers) const;
  /// The same, one matrix per group: row i of the table is of group groups[i].
  std::vector<Matrix> coordinates_of_groups(const Table& table, std::span<const Index> groups,
                                            Index num_groups, const Workers& workers) const;
  /// Writes coordinates into the features of a table. A coordinate that is NaN leaves its cell
  /// unchanged. Row i comes from group from[i] (-1 if unknown) and gets values of group to[i].
  void put_values(Table& table, ConstRows rows, std::span<const Index> from,
                  std::span<const Index> to, const Workers& workers) const;

  /// The same for the shared space, where features are spread values: numbers that do not repeat,
  /// in the units of the data. A category that the fit has not seen is no number; it is carried as
  /// "new:" and its text.
  Matrix shared_coordinates(const Table& table, const Workers& workers) const;
  void put_shared(Table& table, ConstRows rows, const Workers& workers) const;
  /// Takes "new:" off again, from cells of the shared space.
  void unmark_new_categories(Table& table) const;

  /// Replaces NaN in rows of one group by their expected values given the other coordinates of the
  /// row; among the covariates as fill_covariates() does.
  void fill_missing(Rows rows, Index group) const;
  /// Replaces NaN in the covariates of a row by their means in its group; of no group (-1), by
  /// their mean over the rows of the fit.
  void fill_covariates(double* row, Index group) const;
  /// How many rows of a table lack a cell of each covariate, or hold a category there that the fit
  /// has not seen; covariates without such rows are left out.
  std::map<std::string, Index> unknown_covariates(const Table& table) const;
  /// How many rows have a value of a covariate outside of the range of the fit, as '"age" outside
  /// of 20 to 80'.
  std::map<std::string, Index> far_covariates(const Table& table) const;

  /// Texts that the fit has not seen, with the number of their rows, as '"new" of column "kind"'.
  /// `names` are the columns of the table that stand for the features.
  std::map<std::string, Index> new_categories(const Table& table,
                                              std::span<const std::string> names) const;

  /// One line per column: what it is used as.
  std::vector<std::string> describe() const;
  /// The same, with neighboring columns of the same description in one line.
  std::vector<std::string> describe_briefly() const;
};

}  // namespace conflux

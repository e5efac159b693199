// What the columns of a table mean, as part of a model: rows of a table become coordinates that a
// flow can move, and moved coordinates become rows of a table again.
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

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "conflux/columns/covariate.h"
#include "conflux/columns/feature.h"
#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"
#include "conflux/tables/table.h"

namespace conflux {

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

/// A group whose values of a feature look as if they had another unit or origin than those of the
/// others.
struct UnitDoubt {
  std::string column;
  Index group = 0;
  /// What is strange, to follow the name of the group.
  std::string what;
};

class Columns {
 public:
  std::vector<Feature> features = {};
  /// Columns that layers may read and never move. Their coordinates follow those of the features.
  std::vector<Covariate> kept = {};
  /// Of each group, the mean coordinates of the covariates over the cells that are there: what is
  /// taken where a cell is missing.
  std::vector<Vector> kept_means = {};
  std::vector<CarriedColumn> carried = {};
  MissingRule missing = MissingRule::kAuto;
  std::uint64_t seed = 0;
  /// Column whose cells name the rows; empty: rows are named by their positions.
  std::string key = {};
  /// One per group.
  std::vector<ExpectedRow> expected = {};
  /// The same in the shared space, for all groups; what joins later does not change it.
  ExpectedRow shared = {};
  /// One sentence on how features are scaled, and why.
  std::string scale_reason = {};
  /// For who looks at the data of the fit; model files do not keep them.
  std::vector<UnitDoubt> doubts = {};
  std::vector<Index> gaps = {};  // features of which cells were missing

  /// Without columns a model takes coordinates as they are.
  bool empty() const { return features.empty(); }
  std::vector<std::string> feature_names() const;
  /// Coordinates of the covariates, and of a whole row.
  Index num_covariates() const;
  Index width() const { return static_cast<Index>(features.size()) + num_covariates(); }
  /// Of all coordinates of a row: features, then covariates.
  std::vector<std::string> coordinate_names() const;
  /// Features that text files spell as they like; all others are numbers.
  std::vector<std::string> category_names() const;

  /// What the random streams of each row are named by.
  std::vector<std::uint64_t> row_names(const Table& table) const;

  /// Rows of a table of values as coordinates, one per feature and then those of the covariates;
  /// NaN where a cell is missing or is a category that the fit has not seen. Throws InvalidData for
  /// an infinite number, and for a missing cell if these are refused.
  Matrix coordinates(const Table& table, const Workers& workers) const;
  /// The same, one matrix per group: row i of the table is of group groups[i].
  std::vector<Matrix> coordinates_of_groups(const Table& table, std::span<const Index> groups,
                                            Index num_groups, const Workers& workers) const;
  /// Writes coordinates into the features of a table. A coordinate that is NaN leaves its cell
  /// alone. Row i comes from group from[i] (-1 if nobody knows) and shall look like to[i].
  void put_values(Table& table, ConstRows rows, std::span<const Index> from,
                  std::span<const Index> to, const Workers& workers) const;

  /// The same for the shared space, where features are spread values: numbers that do not repeat,
  /// in the units of the data. A category that the fit has not seen is no number; it is carried as
  /// "new:" and its text.
  Matrix shared_coordinates(const Table& table, const Workers& workers) const;
  void put_shared(Table& table, ConstRows rows, const Workers& workers) const;
  /// Takes "new:" off again, from cells of the shared space.
  void unmark_new_categories(Table& table) const;

  /// Replaces NaN in rows of one group by what is expected given the rest of the row; among the
  /// covariates as fill_covariates() does.
  void fill_missing(Rows rows, Index group) const;
  /// Replaces NaN in the covariates of a row by their means in its group; of no group (-1), by
  /// their mean over the rows of the fit.
  void fill_covariates(double* row, Index group) const;
  /// How many rows of a table lack a cell of each covariate, or hold a category there that the fit
  /// has not seen; covariates without such rows are left out.
  std::map<std::string, Index> unknown_covariates(const Table& table) const;

  /// Texts that the fit has not seen, with the number of their rows, as '"new" of column "kind"'.
  /// `names` are the columns of the table that stand for the features.
  std::map<std::string, Index> new_categories(const Table& table,
                                              std::span<const std::string> names) const;

  /// One line per column: what it is used as.
  std::vector<std::string> describe() const;
  /// The same, with one line for neighbours of which the same is said.
  std::vector<std::string> describe_briefly() const;
};

}  // namespace conflux

// The covariates among the columns of a table.

#pragma once

#include <span>
#include <vector>

#include "conflux/columns/find_columns.h"

namespace conflux {

/// Those of ColumnOptions::keep. Throws InvalidOption for unknown names and words and for columns
/// that are something else as well, InvalidData for columns that cannot be kept.
std::vector<Covariate> find_covariates(const Table& table, const ColumnOptions& options);

/// The covariates of a table that has their columns. Both must outlive this. Throws InvalidData if
/// one is text that should be numbers.
class CovariateReader {
 public:
  CovariateReader(const Columns& columns, const Table& table);

  /// Writes the coordinates of a row, NaN where a cell is missing or a category that the fit has
  /// not seen.
  void read(Index row, double* out) const;

 private:
  const Columns& columns_;
  const Table& table_;
  std::vector<Index> places_;
};

/// Adds the means of the next groups; groups[i] is the group of row i among them.
void find_kept_means(Columns& columns, const Table& table, std::span<const Index> groups,
                     Index num_groups);

}  // namespace conflux

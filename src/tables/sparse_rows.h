// Rows of which only the numbers that are not zero are kept: cells with their genes.
//
// Such files are read in blocks of rows, with the columns that identify them, so that a table with
// more genes than memory has room for can be summed over or projected. dense_table() reads the
// whole table.

#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "conflux/tables/table.h"

namespace conflux {

struct SparseBlock {
  /// Row i has the entries starts[i] .. starts[i + 1] - 1; a column may occur twice and counts with
  /// its sum.
  std::vector<Index> starts = {0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;

  Index rows() const { return static_cast<Index>(starts.size()) - 1; }
  void add(Index column, double value) {
    columns.push_back(static_cast<std::int32_t>(column));
    values.push_back(value);
  }
  void end_row() { starts.push_back(static_cast<Index>(values.size())); }
  void clear();
};

class SparseReader {
 public:
  virtual ~SparseReader() = default;
  virtual const std::string& name() const = 0;
  /// Names of the columns of all blocks; they differ.
  virtual const std::vector<std::string>& features() const = 0;
  /// Columns that are no features: names of the rows, groups, labels.
  virtual const TableSchema& others() const = 0;
  /// Appends the next rows to `rows`, and their other columns to those of `table` from the position
  /// `first_other` on: `max_rows` of them, fewer only at the end. Returns how many.
  virtual Index read(SparseBlock& rows, Table& table, Index first_other, Index max_rows) = 0;
  virtual std::vector<std::string> notes() const { return {}; }
  /// May be empty.
  virtual std::shared_ptr<const FileExtras> extras() { return nullptr; }
  /// Whether the features are what was measured, not components of it.
  virtual bool measured() const { return true; }
};

/// All numbers of the rows, zeros too, and the other columns.
std::unique_ptr<TableReader> dense_table(std::unique_ptr<SparseReader> rows);

/// Names that differ: a second GENE is called PREFIXGENE, a third PREFIXGENE-3.
class DifferentNames {
 public:
  std::string take(const std::string& name, const std::string& prefix);

 private:
  std::set<std::string> taken_;
};

/// A file of sparse rows, or nothing when its format has none: .mtx and .h5ad have.
std::unique_ptr<SparseReader> open_sparse(const std::filesystem::path& path,
                                          const TableOptions& options = {});

}  // namespace conflux

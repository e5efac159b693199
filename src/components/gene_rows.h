// Rows of files with the genes of a model: found by name, normalized, in blocks.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conflux/components/components.h"
#include "tables/sparse_rows.h"

namespace conflux {

/// Which gene of a model each column of a file is.
class GeneRows {
 public:
  /// Throws InvalidData when a gene of the model is not there.
  GeneRows(std::unique_ptr<SparseReader> reader, const Components& components);

  /// Replaces `rows` by the next ones, normalized; see SparseReader::read().
  Index read(SparseBlock& rows, Table& others, Index first_other, Index max_rows);
  SparseReader& reader() { return *reader_; }
  /// Columns of the file that are no genes of the model.
  Index left_out() const { return left_out_; }
  /// Whether the numbers so far were whole and none negative.
  bool of_counts() const { return of_counts_; }

 private:
  void normalize(SparseBlock& rows);

  std::unique_ptr<SparseReader> reader_;
  const Components& components_;
  /// -1 for a column that is left out; empty when all columns are where the model has them.
  std::vector<Index> gene_of_;
  Index left_out_ = 0;
  bool of_counts_ = true;
  SparseBlock read_;
};

/// Columns for others() of a reader, without rows.
Table table_of(const TableSchema& schema);

}  // namespace conflux

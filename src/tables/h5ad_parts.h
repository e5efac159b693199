// Parts of AnnData files: matrices, dense or sparse, and columns of data frames.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conflux/tables/table.h"
#include "tables/hdf5_file.h"
#include "tables/sparse_rows.h"

namespace conflux {

/// Rows of numbers that are read in slices.
class StoredMatrix {
 public:
  virtual ~StoredMatrix() = default;
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  /// Appends rows begin .. begin + count - 1.
  virtual void read(SparseBlock& rows, Index begin, Index count) const = 0;

 protected:
  StoredMatrix(Index rows, Index cols) : rows_(rows), cols_(cols) {}

 private:
  Index rows_;
  Index cols_;
};

/// A dataset of two dimensions, or a group with data, indices and indptr. Throws InvalidData for
/// anything else, and unless it has the `expected` rows.
std::unique_ptr<StoredMatrix> open_matrix(hdf5::Node node, Index expected);

/// Length of a dataset of one dimension; throws InvalidData for another.
Index length_of(const hdf5::Node& node);

/// A column of a data frame: numbers, texts, categories of the old or new encoding, or numbers
/// with a mask of those that are missing.
class FrameColumn {
 public:
  FrameColumn(const hdf5::Node& frame, std::string name);

  const std::string& name() const { return name_; }
  ColumnType type() const { return type_; }
  Index rows() const;
  /// Whether it is something that a table can hold.
  bool readable() const { return readable_; }
  void read(Column& column, Index begin, Index count) const;

 private:
  void set_categories(const hdf5::Node& categories);

  std::string name_;
  ColumnType type_ = ColumnType::kNumeric;
  bool readable_ = true;
  bool categorical_ = false;
  /// Values, or codes of categories.
  hdf5::Node values_;
  std::unique_ptr<hdf5::Node> mask_;
  std::vector<std::string> categories_;
};

/// Columns in their order, the index left out.
std::vector<std::string> frame_columns(const hdf5::Node& frame);
/// The dataset that names the rows of a frame.
std::string frame_index(const hdf5::Node& frame);

}  // namespace conflux

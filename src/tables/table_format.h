// Functions of a table format.
//
// A new format is one file with two functions and one line in the list of table.cc.

#pragma once

#include <memory>
#include <string_view>

#include "conflux/tables/table.h"
#include "files/input_stream.h"
#include "files/output_stream.h"
#include "tables/sparse_rows.h"

namespace conflux {

struct TableFormat {
  std::string_view name;
  /// Whether a file name, without .gz or .zst, is of this format.
  bool (*owns)(std::string_view file_name);
  std::unique_ptr<TableReader> (*open)(const ByteSource& source, const TableOptions& options);
  std::unique_ptr<TableWriter> (*create)(std::unique_ptr<OutputStream> out,
                                         std::string_view file_name, const TableOptions& options);
  /// Reader of formats whose rows are mostly zeros; nullptr for others.
  std::unique_ptr<SparseReader> (*open_sparse)(const ByteSource& source,
                                               const TableOptions& options) = nullptr;
};

/// More columns than this are taken for a damaged header.
constexpr Index kMostColumns = Index{1} << 20;

/// Throws InvalidData that names the difference when `block` does not have these columns.
void require_schema(const TableSchema& expected, const Table& block);

/// The same for names alone.
void require_names(const std::vector<std::string>& expected, const Table& block);

/// Throws InvalidData for a text column, which `format` cannot hold.
void require_numeric(const TableSchema& schema, std::string_view format);

/// Gives `block` these columns, without rows; throws InvalidOption when max_rows is not positive.
void start_block(Table& block, const TableSchema& schema, const std::string& source,
                 Index first_row, Index max_rows);

/// A cell for messages, cut when it is long.
std::string shown(std::string_view cell);

/// c0, c1, ...
std::string unnamed_column(Index position);

}  // namespace conflux

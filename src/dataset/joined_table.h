// A table with more columns of the same rows, say groups and labels of cells
// (DatasetOptions::meta).

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "conflux/tables/table.h"

namespace conflux {

/// The column of the rows in a key: "cell", or "barcode" in "barcode=cell_id", whose second column
/// is that of the joined table.
std::string key_of_rows(const std::string& key);

/// How the columns of the table are read; names that it does not have are left out.
struct JoinedTypes {
  /// These keep their spelling: 007 stays 007.
  std::vector<std::string> text = {};
  /// If set, these are numbers, and all others keep their spelling.
  std::optional<std::vector<std::string>> numbers = {};
};

/// The table in blocks. A list in a .npy file is a column that is called like the file.
class JoinedTableReader {
 public:
  JoinedTableReader(const std::string& path, JoinedTypes types, int threads);

  /// All columns; those of text may be shown as numbers.
  const TableSchema& schema() const { return schema_; }
  /// As TableReader does.
  bool read(Table& block, Index max_rows);
  Table read_rest();

 private:
  void name(Table& block) const;

  std::string path_;
  std::string list_;
  TableSchema schema_;
  std::unique_ptr<TableReader> reader_;
};

class JoinedTable {
 public:
  /// Rows belong together by their keys, or by their places if `key` is empty.
  JoinedTable(const std::string& path, const std::string& key, JoinedTypes types, int threads);

  const Table& table() const { return table_; }
  /// Throws InvalidData when rows that are joined by place are not as many.
  void check_rows(Index rows, const std::string& source) const;
  /// Adds the columns to rows whose first one is row `first` of all. Throws InvalidData when a key
  /// is unknown or a column is in both tables.
  void join(Table& rows, Index first) const;

 private:
  std::vector<Index> places_of(const Table& rows, Index first) const;

  std::string key_;
  std::string own_key_;
  Table table_;
  std::unordered_map<std::string, Index> place_of_;
};

}  // namespace conflux

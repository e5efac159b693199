// Tables with named columns, read and written in blocks of rows.
//
// One interface serves every format. Which one it is follows from the name: .csv, .tsv and .txt
// (text), .npy and .npz (numpy), .idx and names ending in "ubyte" (MNIST), .fcs (cytometry), each
// with .gz or .zst behind it; or from TableOptions::format. The name "-" is standard input or
// output. Compressed input is recognized by its contents.
//
//   auto reader = open_table("cells.csv.gz", {.numeric = {{"x", "y"}}});
//   auto writer = create_table("moved.csv");
//   for (Table block; reader->read(block, 65536);) {
//     ...
//     writer->write(block);
//   }
//   writer->close();
//
// Memory holds a block, however many rows there are. A file that cannot be opened throws Error, one
// that cannot be understood InvalidData that names file, line or row, column and value; sizes in
// headers are checked before they are believed.

#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conflux/core/index.h"

namespace conflux {

enum class ColumnType { kNumeric, kText };

struct ColumnInfo {
  std::string name;
  ColumnType type = ColumnType::kNumeric;

  bool operator==(const ColumnInfo&) const = default;
};

using TableSchema = std::vector<ColumnInfo>;

/// One value per row, in `numbers` or in `text` depending on the type. A missing number is NaN;
/// missing text keeps its spelling.
struct Column {
  std::string name;
  ColumnType type = ColumnType::kNumeric;
  std::vector<double> numbers;
  std::vector<std::string> text;

  bool numeric() const { return type == ColumnType::kNumeric; }
  Index size() const { return static_cast<Index>(numeric() ? numbers.size() : text.size()); }
};

/// Whether a cell of a text file is missing: it is empty or one of NA, N/A, NaN, nan, null, NULL, ?
/// and -; blanks around it do not count.
bool is_missing(std::string_view cell);

/// NaN in a numeric column, cells that are missing by their spelling in a text column.
Index count_missing(const Column& column);

/// Where consecutive rows of a table came from.
struct RowOrigin {
  /// The first of these rows in the table.
  Index begin = 0;
  std::shared_ptr<const std::string> source;
  /// Its position in the file, from 0.
  Index row = 0;
  /// Its line in a text file, from 1; 0 for files without lines.
  Index line = 0;
};

/// Keywords of a file and their values, in their order.
using FileKeywords = std::vector<std::pair<std::string, std::string>>;

/// Content of a file beside its rows. Readers attach it to their tables, and writers of the same
/// format keep it.
struct FileExtras {
  /// The format of these extras.
  std::string format;
  FileKeywords keywords;
  /// Columns that are no features unless they are named, and the reasons.
  FileKeywords carried;
};

class Table {
 public:
  Table() = default;

  /// Columns in the order of the file. All have the same number of rows.
  std::vector<Column> columns;
  /// The file that it came from, for messages.
  std::string source;
  /// Position of the first row in that file, from 0.
  Index first_row = 0;
  /// Lines of text files, and the files of rows that were appended, in the order of `begin`. Empty:
  /// all rows follow `first_row` of `source`.
  std::vector<RowOrigin> origins;
  /// May be empty.
  std::shared_ptr<const FileExtras> extras;

  Index num_columns() const { return static_cast<Index>(columns.size()); }
  Index num_rows() const { return columns.empty() ? 0 : columns.front().size(); }
  TableSchema schema() const;
  std::vector<std::string> names() const;

  void add(std::string name, std::vector<double> numbers);
  void add(std::string name, std::vector<std::string> text);

  /// Position of a column; throws InvalidOption with the nearest name when there is none.
  Index find(std::string_view name) const;
  bool has(std::string_view name) const;
  const Column& operator[](std::string_view name) const { return columns[find(name)]; }

  /// Where a row stands, for messages: "cells.csv, line 7" in text files, "cells.npy, row 6" in
  /// others. Both count from 1; the header is line 1.
  std::string place(Index row) const;
  /// The file that a row came from.
  std::string source_of(Index row) const;

  /// Appends the rows of a table with the same columns. Throws InvalidData that names both files
  /// and the first cell when a column is numeric in one and text in the other.
  void append(const Table& more);
  /// The table of these rows, in this order.
  Table rows(std::span<const Index> positions) const;
};

/// Options of readers and writers; every field has a default that suits most files.
struct TableOptions {
  /// csv, tsv, txt, npy, npz, idx or fcs, with .gz or .zst behind it for compressed output. Empty:
  /// by the file's name, and csv for "-".
  std::string format = {};

  /// Text: whether the first line holds the names. Columns without names are called c0, c1, ...
  bool header = true;

  /// Text: what separates cells. 0: a comma for csv (semicolons if the first line has some and no
  /// comma), a tab for tsv; for txt the tab, comma or
  /// semicolon that is most frequent in the first line (a tab when written).
  char delimiter = 0;

  /// Text: these columns are read as numbers, and every other keeps its spelling (007 stays 007).
  /// Unset: a column is numeric if each of its cells is a number or missing. To find out, a file is
  /// read twice when it is read in blocks, and standard input is kept in memory.
  std::optional<std::vector<std::string>> numeric = {};

  /// Text: these columns keep their spelling even if they look like numbers.
  std::vector<std::string> text = {};

  /// NPZ: the two-dimensional array. Empty: X, or the only one.
  std::string array = {};

  /// NPZ: the array, and column, of the groups. Empty: "group", if there is one.
  std::string group = {};

  /// FCS: name channels by $PnN even if all $PnS differ.
  bool short_names = false;
  /// FCS: do not compensate spillover, even if the file has its matrix.
  bool uncompensated = false;
  /// FCS: the numbers as they are stored, before gain and logarithmic amplification are undone.
  bool stored_values = false;

  /// H5AD: what the features are: X, a layer, or an entry of obsm. Empty: X_pca if X is wide and it
  /// is there, or whatever has the columns of `numeric`; otherwise X.
  std::string use_rep = {};

  /// NPY, NPZ and FCS: write float32 instead of float64.
  bool single_precision = false;

  /// Threads for text; 0 uses every core. The result does not depend on it.
  int threads = 0;
};

class TableReader {
 public:
  virtual ~TableReader() = default;
  /// Names and types of all columns.
  virtual const TableSchema& schema() = 0;
  /// Replaces `block` by the next rows: `max_rows` of them, fewer only at the end. False, and no
  /// rows, when there are none left.
  virtual bool read(Table& block, Index max_rows) = 0;
  /// All rows that are left.
  virtual Table read_rest();
  /// Sentences about how the file was understood where another reading was possible: semicolons
  /// instead of commas, decimal commas. For users to see.
  virtual std::vector<std::string> notes() { return {}; }
};

class TableWriter {
 public:
  /// A writer that was not closed leaves no file, and an older one as it was.
  virtual ~TableWriter() = default;
  /// Appends rows; every block has the columns of the first.
  virtual void write(const Table& block) = 0;
  /// Must be the last call: the file is complete, and has its name, when it returns.
  virtual void close() = 0;
};

std::unique_ptr<TableReader> open_table(const std::filesystem::path& path,
                                        const TableOptions& options = {});
std::unique_ptr<TableWriter> create_table(const std::filesystem::path& path,
                                          const TableOptions& options = {});

/// A whole table at once.
Table read_table(const std::filesystem::path& path, const TableOptions& options = {});
void write_table(const std::filesystem::path& path, const Table& table,
                 const TableOptions& options = {});

/// The format, by its name, that a file is read or written in.
std::string table_format(const std::filesystem::path& path, const TableOptions& options = {});

/// The names of table formats, as in TableOptions::format.
std::vector<std::string> table_formats();

}  // namespace conflux

#include "conflux/tables/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "tables/csv.h"
#include "tables/fcs.h"
#include "tables/foreign_formats.h"
#include "tables/h5ad.h"
#include "tables/idx.h"
#include "tables/mat.h"
#include "tables/mtx.h"
#include "tables/netcdf.h"
#include "tables/npy_format.h"
#include "tables/npz.h"
#include "tables/number_text.h"
#include "tables/picture.h"
#include "tables/table_format.h"

namespace conflux {

namespace {

// Every format there is; a new one gets a line here.
constexpr std::array<const TableFormat*, 14> kFormats = {
    &kCsvFormat, &kTsvFormat, &kTxtFormat,      &kNpyFormat, &kNpzFormat,
    &kIdxFormat, &kFcsFormat, &kH5adFormat,     &kMtxFormat, &kNetcdfFormat,
    &kPngFormat, &kPpmFormat, &kPicturesFormat, &kMatFormat};

// A name without its compression.
struct PlainName {
  std::string name;
  Compression compression = Compression::kNone;
};

PlainName without_compression(std::string name) {
  for (const auto& [ending, compression] :
       {std::pair{std::string_view(".gz"), Compression::kGzip},
        std::pair{std::string_view(".zst"), Compression::kZstd}}) {
    if (!name.ends_with(ending)) continue;
    name.resize(name.size() - ending.size());
    return {std::move(name), compression};
  }
  return {std::move(name), Compression::kNone};
}

const TableFormat& format_called(const std::string& name) {
  for (const TableFormat* format : kFormats) {
    if (format->name == name) return *format;
  }
  throw InvalidOption(unknown_name("table format", name, table_formats()));
}

struct Choice {
  const TableFormat& format;
  Compression compression;
  std::string name;
};
Choice choose_format(const std::filesystem::path& path, const TableOptions& options) {
  PlainName file = without_compression(path.filename().string());
  PlainName wanted = without_compression(options.format);
  const Compression compression =
      wanted.compression == Compression::kNone ? file.compression : wanted.compression;
  if (!options.format.empty()) return {format_called(wanted.name), compression, file.name};
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored) && holds_pictures(path)) {
    return {kPicturesFormat, compression, ""};
  }
  if (path == "-") return {kCsvFormat, compression, file.name};
  std::string lower = file.name;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const TableFormat* format : kFormats) {
    if (format->owns(lower)) return {*format, compression, lower};
  }
  refuse_foreign_format(path.string(), lower);
  throw InvalidOption(fmt::format(
      "{} does not tell its format by its name; end it in .csv, .tsv, .txt, .npy, .npz, .idx, "
      ".fcs, .mtx, .mat, .ppm, .png (.gz or .zst may follow), .h5ad or .nc, or name the format.",
      path.string()));
}

// A folder of 10x Genomics is the matrix in it, one of pictures is a table itself.
std::filesystem::path file_of(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored) || holds_pictures(path)) return path;
  return matrix_in_folder(path);
}

std::string_view type_name(ColumnType type) {
  return type == ColumnType::kNumeric ? "numeric" : "text";
}

std::vector<RowOrigin> origins_of(const Table& table) {
  if (!table.origins.empty()) return table.origins;
  return {{0, std::make_shared<const std::string>(table.source), table.first_row, 0}};
}

// The origin of one row, from those of runs of rows.
RowOrigin origin_in(const std::vector<RowOrigin>& origins, Index row) {
  const auto after = std::upper_bound(origins.begin() + 1, origins.end(), row,
                                      [](Index i, const RowOrigin& run) { return i < run.begin; });
  RowOrigin out = *std::prev(after);
  const Index offset = row - out.begin;
  out.begin = row;
  out.row += offset;
  if (out.line > 0) out.line += offset;
  return out;
}

// Joins rows to the run before them when they go on where it ends.
void add_origin(std::vector<RowOrigin>& origins, RowOrigin origin) {
  if (!origins.empty()) {
    const RowOrigin& last = origins.back();
    const Index offset = origin.begin - last.begin;
    const Index line = last.line > 0 ? last.line + offset : 0;
    const bool same_file = last.source == origin.source || *last.source == *origin.source;
    if (same_file && origin.row == last.row + offset && origin.line == line) return;
  }
  origins.push_back(std::move(origin));
}

// The first cell of a text column that is neither missing nor a number.
std::string first_text(const Table& table, const Column& column) {
  for (std::size_t i = 0; i < column.text.size(); ++i) {
    double ignored = 0;
    if (is_missing(column.text[i]) || parse_number(column.text[i], ignored)) continue;
    return fmt::format(" (\"{}\" in {})", shown(column.text[i]),
                       table.place(static_cast<Index>(i)));
  }
  return {};
}

void require_same_types(const Table& a, const Table& b) {
  for (Index j = 0; j < std::min(a.num_columns(), b.num_columns()); ++j) {
    const Column& left = a.columns[j];
    const Column& right = b.columns[j];
    if (left.name != right.name || left.type == right.type) continue;
    const bool text_first = !left.numeric();
    const Table& numbers = text_first ? b : a;
    const Table& text = text_first ? a : b;
    throw InvalidData(fmt::format(
        "column \"{}\" is numeric in {} but text in {}{}; correct the cell, or treat the column "
        "the "
        "same way in all files.",
        left.name, numbers.source, text.source, first_text(text, text_first ? left : right)));
  }
}

}  // namespace

bool is_missing(std::string_view cell) {
  if (cell.empty()) return true;
  cell = without_blanks(cell);
  constexpr std::array<std::string_view, 8> kSpellings = {"NA",   "N/A",  "NaN", "nan",
                                                          "null", "NULL", "?",   "-"};
  return cell.empty() || std::find(kSpellings.begin(), kSpellings.end(), cell) != kSpellings.end();
}

Index count_missing(const Column& column) {
  if (!column.numeric()) return std::count_if(column.text.begin(), column.text.end(), is_missing);
  return std::count_if(column.numbers.begin(), column.numbers.end(),
                       [](double value) { return std::isnan(value); });
}

TableSchema Table::schema() const {
  TableSchema out;
  for (const Column& column : columns) out.push_back({column.name, column.type});
  return out;
}

std::vector<std::string> Table::names() const {
  std::vector<std::string> out;
  for (const Column& column : columns) out.push_back(column.name);
  return out;
}

void Table::add(std::string name, std::vector<double> numbers) {
  columns.push_back({std::move(name), ColumnType::kNumeric, std::move(numbers), {}});
}

void Table::add(std::string name, std::vector<std::string> text) {
  columns.push_back({std::move(name), ColumnType::kText, {}, std::move(text)});
}

bool Table::has(std::string_view name) const {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const Column& column) { return column.name == name; });
}

Index Table::find(std::string_view name) const {
  for (Index j = 0; j < num_columns(); ++j) {
    if (columns[j].name == name) return j;
  }
  const std::string from = source.empty() ? "" : source + ": ";
  throw InvalidOption(from + unknown_name("column", name, names()));
}

std::string Table::place(Index row) const {
  const RowOrigin at = origin_in(origins_of(*this), row);
  const std::string where =
      at.line > 0 ? fmt::format("line {}", at.line) : fmt::format("row {}", at.row + 1);
  return at.source->empty() ? where : fmt::format("{}, {}", *at.source, where);
}

std::string Table::source_of(Index row) const { return *origin_in(origins_of(*this), row).source; }

void Table::append(const Table& more) {
  require_same_types(*this, more);
  require_schema(schema(), more);
  if (origins.empty()) origins = origins_of(*this);
  for (RowOrigin& origin : origins_of(more)) {
    origin.begin += num_rows();
    add_origin(origins, std::move(origin));
  }
  for (Index j = 0; j < num_columns(); ++j) {
    Column& to = columns[j];
    const Column& from = more.columns[j];
    to.numbers.insert(to.numbers.end(), from.numbers.begin(), from.numbers.end());
    to.text.insert(to.text.end(), from.text.begin(), from.text.end());
  }
}

Table Table::rows(std::span<const Index> positions) const {
  Table out;
  out.source = source;
  out.first_row = first_row;
  out.extras = extras;
  const std::vector<RowOrigin> all = origins_of(*this);
  for (std::size_t k = 0; k < positions.size(); ++k) {
    RowOrigin origin = origin_in(all, positions[k]);
    origin.begin = static_cast<Index>(k);
    add_origin(out.origins, std::move(origin));
  }
  for (const Column& column : columns) {
    Column& picked = out.columns.emplace_back();
    picked.name = column.name;
    picked.type = column.type;
    for (const Index i : positions) {
      if (column.numeric()) {
        picked.numbers.push_back(column.numbers[i]);
      } else {
        picked.text.push_back(column.text[i]);
      }
    }
  }
  return out;
}

Table TableReader::read_rest() {
  Table whole;
  read(whole, std::numeric_limits<Index>::max());
  return whole;
}

std::unique_ptr<TableReader> open_table(const std::filesystem::path& path,
                                        const TableOptions& options) {
  const std::filesystem::path file = file_of(path);
  return choose_format(file, options).format.open(ByteSource::file(file), options);
}

std::unique_ptr<SparseReader> open_sparse(const std::filesystem::path& path,
                                          const TableOptions& options) {
  const std::filesystem::path file = file_of(path);
  const TableFormat& format = choose_format(file, options).format;
  if (format.open_sparse == nullptr) return nullptr;
  return format.open_sparse(ByteSource::file(file), options);
}

std::unique_ptr<TableWriter> create_table(const std::filesystem::path& path,
                                          const TableOptions& options) {
  const Choice choice = choose_format(path, options);
  if (&choice.format == &kPicturesFormat) return write_pictures(path);
  return choice.format.create(create_output(path, choice.compression), choice.name, options);
}

Table read_table(const std::filesystem::path& path, const TableOptions& options) {
  return open_table(path, options)->read_rest();
}

void write_table(const std::filesystem::path& path, const Table& table,
                 const TableOptions& options) {
  const auto writer = create_table(path, options);
  writer->write(table);
  writer->close();
}

std::string table_format(const std::filesystem::path& path, const TableOptions& options) {
  return std::string(choose_format(file_of(path), options).format.name);
}

std::vector<std::string> table_formats() {
  std::vector<std::string> names;
  names.reserve(kFormats.size());
  for (const TableFormat* format : kFormats) names.emplace_back(format->name);
  return names;
}

void require_schema(const TableSchema& expected, const Table& block) {
  if (block.columns.size() != expected.size()) {
    throw InvalidData(fmt::format("a block has {} columns but the first had {}; all need the same.",
                                  block.columns.size(), expected.size()));
  }
  for (std::size_t j = 0; j < expected.size(); ++j) {
    const Column& column = block.columns[j];
    if (column.name != expected[j].name || column.type != expected[j].type) {
      throw InvalidData(fmt::format(
          "column {} of a block is \"{}\" ({}) but was \"{}\" ({}); all blocks need the same.",
          j + 1, column.name, type_name(column.type), expected[j].name,
          type_name(expected[j].type)));
    }
    if (column.size() != block.num_rows()) {
      throw InvalidData(
          fmt::format("column \"{}\" has {} rows but \"{}\" has {}; all need the same.",
                      column.name, column.size(), block.columns.front().name, block.num_rows()));
    }
  }
}

void require_names(const std::vector<std::string>& expected, const Table& block) {
  const std::vector<std::string> names = block.names();
  if (names == expected) return;
  const auto differ = std::mismatch(names.begin(), names.end(), expected.begin(), expected.end());
  const auto name_at = [](const auto& at, const auto& list) {
    return at == list.end() ? std::string("absent") : fmt::format("\"{}\"", *at);
  };
  throw InvalidData(fmt::format(
      "{}: column {} is {} but was {} before; all files need the same columns in the same order.",
      block.source, differ.first - names.begin() + 1, name_at(differ.first, names),
      name_at(differ.second, expected)));
}

void require_numeric(const TableSchema& schema, std::string_view format) {
  if (schema.empty()) {
    throw InvalidData("a table without columns cannot be written; add a column.");
  }
  for (const ColumnInfo& column : schema) {
    if (column.type == ColumnType::kNumeric) continue;
    throw InvalidData(fmt::format(
        "column \"{}\" is text, which {} does not hold; drop it, or write a text table.",
        column.name, format));
  }
}

void start_block(Table& block, const TableSchema& schema, const std::string& source,
                 Index first_row, Index max_rows) {
  if (max_rows < 1) {
    throw InvalidOption(fmt::format("max_rows is {}; choose at least 1.", max_rows));
  }
  block.source = source;
  block.first_row = first_row;
  block.origins.clear();
  block.extras.reset();
  block.columns.resize(schema.size());
  for (std::size_t j = 0; j < schema.size(); ++j) {
    Column& column = block.columns[j];
    if (column.name != schema[j].name) column.name = schema[j].name;
    column.type = schema[j].type;
    column.numbers.clear();
    column.text.clear();
  }
}

std::string shown(std::string_view cell) {
  constexpr std::size_t kMostShown = 40;
  return cell.size() <= kMostShown ? std::string(cell)
                                   : fmt::format("{}...", cell.substr(0, kMostShown));
}

std::string unnamed_column(Index position) { return fmt::format("c{}", position); }

}  // namespace conflux

#include "tables/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include "conflux/core/error.h"
#include "conflux/core/parallel.h"
#include "core/nearest_name.h"
#include "tables/csv_delimiter.h"
#include "tables/csv_rows.h"
#include "tables/csv_writer.h"
#include "tables/number_text.h"

namespace conflux {

namespace {

constexpr Index kRowsPerTask = 256;
constexpr Index kRowsToInferFrom = 1000;
constexpr Index kRowsPerScan = 1 << 16;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Ends after one cell more than a table may have: a line of 256 MB would become 9 GB of texts.
std::vector<std::string> cells_of(const Row& row, char delimiter) {
  std::string scratch;
  Cells cells(row, delimiter, scratch);
  std::vector<std::string> out;
  for (;;) {
    out.emplace_back(cells.take());
    if (cells.at_end() || static_cast<Index>(out.size()) > kMostColumns) return out;
    cells.skip_delimiter();
  }
}

class CsvReader : public TableReader {
 public:
  CsvReader(ByteSource source, const TableOptions& options, char delimiter)
      : source_(std::move(source)),
        source_name_(std::make_shared<const std::string>(source_.name())),
        options_(options),
        delimiter_(delimiter),
        workers_(options.threads) {
    if (!options_.numeric) source_.hold();
    restart();
    choose_types();
    find_decimal_commas();
  }

  std::vector<std::string> notes() override { return notes_; }

  const TableSchema& schema() override {
    if (!types_known_) infer_by_scan();
    return schema_;
  }

  bool read(Table& block, Index max_rows) override {
    start_block(block, schema(), source_.name(), rows_read_, max_rows);
    parse(block, max_rows, nullptr);
    return block.num_rows() > 0;
  }

  Table read_rest() override {
    Table table;
    constexpr Index kAll = std::numeric_limits<Index>::max();
    if (types_known_) {
      start_block(table, schema_, source_.name(), rows_read_, kAll);
      parse(table, kAll, nullptr);
      return table;
    }
    // The types that the first rows suggest are right for nearly all files; if not, read again.
    infer_types();
    Flags refuted(schema_.size());
    start_block(table, schema_, source_.name(), rows_read_, kAll);
    parse(table, kAll, &refuted);
    if (settle_types(refuted)) {
      table = Table();
      restart();
      start_block(table, schema_, source_.name(), rows_read_, kAll);
      parse(table, kAll, nullptr);
    }
    return table;
  }

 private:
  using Flags = std::vector<std::atomic<bool>>;

  void restart() {
    rows_ = std::make_unique<RowFinder>(source_.stream(), source_.name());
    choose_delimiter();
    rows_->set_delimiter(delimiter_);
    rows_read_ = 0;
    const auto first = rows_->peek(1);
    if (first.empty()) {
      throw InvalidData(
          fmt::format("{} is empty; a table needs at least {}.", source_.name(),
                      options_.header ? "a line with the names of its columns" : "one row"));
    }
    std::vector<std::string> names = cells_of(first.front(), delimiter_);
    if (static_cast<Index>(names.size()) > kMostColumns) {
      throw InvalidData(
          fmt::format("{}: the line has more than {} cells, the most that are supported; check the "
                      "delimiter and the ends of lines.",
                      place(source_.name(), first.front().line), kMostColumns));
    }
    if (options_.header) {
      check_names(names, first.front().line);
      rows_->next(1);
    } else {
      for (std::size_t j = 0; j < names.size(); ++j)
        names[j] = unnamed_column(static_cast<Index>(j));
    }
    if (schema_.empty()) {
      for (std::string& name : names) schema_.push_back({std::move(name), ColumnType::kText});
    }
  }

  void choose_delimiter() {
    if (delimiter_ == kPrediction) {
      delimiter_ = most_frequent(count_delimiters(rows_->first_line()));
    } else if (delimiter_ == ',' && options_.delimiter == 0) {
      delimiter_ = instead_of_commas(count_delimiters(rows_->first_line()));
      if (delimiter_ == ',') return;
      notes_.push_back(fmt::format("{}: cells are separated by {}.", source_.name(),
                                   delimiter_ == ';' ? "semicolons" : "tabs"));
    }
  }

  // Numbers have decimal commas if some of the first rows do, and none has a decimal point.
  void find_decimal_commas() {
    if (delimiter_ == ',') return;
    bool commas = false;
    for (const Row& row : rows_->peek(kRowsToInferFrom)) {
      for (const std::string& cell : cells_of(row, delimiter_)) {
        double ignored = 0;
        if (cell.find('.') != cell.npos && parse_number(cell, ignored)) return;
        commas = commas || (cell.find(',') != cell.npos && parse_comma_number(cell, ignored));
      }
    }
    if (!commas) return;
    decimal_commas_ = true;
    notes_.push_back(fmt::format("{}: numbers have decimal commas.", source_.name()));
  }

  bool parse_cell(std::string_view cell, double& value) const {
    return decimal_commas_ ? parse_comma_number(cell, value) : parse_number(cell, value);
  }

  void check_names(const std::vector<std::string>& names, Index line) const {
    std::vector<std::size_t> order(names.size());
    for (std::size_t j = 0; j < names.size(); ++j) {
      order[j] = j;
      if (names[j].find('\r') != std::string::npos) {
        throw InvalidData(fmt::format(
            "{}, column {}: the name \"{}\" holds a carriage return; end lines with LF or CRLF.",
            place(source_.name(), line), j + 1, shown(names[j].substr(0, names[j].find('\r')))));
      }
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::tie(names[a], a) < std::tie(names[b], b);
    });
    for (std::size_t k = 1; k < order.size(); ++k) {
      if (names[order[k]] != names[order[k - 1]]) continue;
      throw InvalidData(fmt::format("{}: columns {} and {} are both called \"{}\"; rename one.",
                                    place(source_.name(), line), order[k - 1] + 1, order[k] + 1,
                                    shown(names[order[k]])));
    }
  }

  Index find_column(const std::string& name) const {
    std::vector<std::string> names;
    for (const ColumnInfo& column : schema_) names.push_back(column.name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return found - names.begin();
    throw InvalidOption(fmt::format("{}: {}", source_.name(), unknown_name("column", name, names)));
  }

  void choose_types() {
    types_known_ = options_.numeric.has_value();
    if (types_known_) {
      for (const std::string& name : *options_.numeric) {
        schema_[find_column(name)].type = ColumnType::kNumeric;
      }
    }
    kept_as_text_.assign(schema_.size(), false);
    for (const std::string& name : options_.text) {
      const Index j = find_column(name);
      schema_[j].type = ColumnType::kText;
      kept_as_text_[j] = true;
    }
  }

  void infer_types() {
    for (std::size_t j = 0; j < schema_.size(); ++j) {
      schema_[j].type = kept_as_text_[j] ? ColumnType::kText : ColumnType::kNumeric;
    }
    std::string scratch;
    for (const Row& row : rows_->peek(kRowsToInferFrom)) {
      Cells cells(row, delimiter_, scratch);
      for (ColumnInfo& column : schema_) {
        double ignored = 0;
        const std::string_view cell = cells.take();
        if (!is_missing(cell) && !parse_cell(cell, ignored)) column.type = ColumnType::kText;
        if (cells.at_end()) break;
        cells.skip_delimiter();
      }
    }
  }

  // Whether any of the predictions was wrong.
  bool settle_types(const Flags& refuted) {
    types_known_ = true;
    bool any = false;
    for (std::size_t j = 0; j < schema_.size(); ++j) {
      if (!refuted[j]) continue;
      schema_[j].type = ColumnType::kText;
      any = true;
    }
    return any;
  }

  void infer_by_scan() {
    infer_types();
    Flags refuted(schema_.size());
    Table block;
    do {
      start_block(block, schema_, source_.name(), rows_read_, kRowsPerScan);
      parse(block, kRowsPerScan, &refuted);
    } while (block.num_rows() > 0);
    settle_types(refuted);
    restart();
  }

  // Appends up to max_rows rows. A cell that is no number is an error, or, with `refuted`, a mark
  // on its column.
  void parse(Table& block, Index max_rows, Flags* refuted) {
    while (max_rows > 0) {
      const std::span<const Row> rows = rows_->next(max_rows);
      if (rows.empty()) return;
      const Index count = static_cast<Index>(rows.size());
      const Index base = block.num_rows();
      note_lines(block, base, rows);
      for (Column& column : block.columns) {
        if (column.numeric()) {
          column.numbers.resize(static_cast<std::size_t>(base + count));
        } else {
          column.text.resize(static_cast<std::size_t>(base + count));
        }
      }
      std::vector<std::string> failures((count + kRowsPerTask - 1) / kRowsPerTask);
      workers_.for_each_block(count, kRowsPerTask, [&](Index begin, Index end) {
        std::string scratch;
        for (Index i = begin; i < end; ++i) {
          std::string& failure = failures[begin / kRowsPerTask];
          if (!parse_row(rows[i], base + i, block, refuted, scratch, failure)) return;
        }
      });
      for (const std::string& failure : failures) {
        if (!failure.empty()) throw InvalidData(failure);
      }
      rows_read_ += count;
      max_rows -= count;
    }
  }

  // A row begins a new run of lines when the one before it takes more than one line.
  void note_lines(Table& block, Index base, std::span<const Row> rows) {
    const auto line_if_consecutive = [&](Index i) {
      const RowOrigin& last = block.origins.back();
      return last.line + i - last.begin;
    };
    const Index last = base + static_cast<Index>(rows.size()) - 1;
    if (!block.origins.empty() && rows.back().line == line_if_consecutive(last)) return;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Index i = base + static_cast<Index>(k);
      if (!block.origins.empty() && rows[k].line == line_if_consecutive(i)) continue;
      block.origins.push_back({i, source_name_, rows_read_ + static_cast<Index>(k), rows[k].line});
    }
  }

  bool parse_row(const Row& row, Index i, Table& block, Flags* refuted, std::string& scratch,
                 std::string& failure) const {
    Cells cells(row, delimiter_, scratch);
    const Index last = block.num_columns() - 1;
    for (Index j = 0; j <= last; ++j) {
      Column& column = block.columns[j];
      if (column.numeric()) {
        double& value = column.numbers[i];
        if (decimal_commas_ || !cells.take_number(value)) {
          const std::string_view cell = cells.take();
          if (is_missing(cell)) {
            value = kMissing;
          } else if (!parse_cell(cell, value)) {
            if (refuted == nullptr) {
              failure = bad_number(row, j, cell);
              return false;
            }
            (*refuted)[j].store(true, std::memory_order_relaxed);
          }
        }
      } else {
        column.text[i].assign(cells.take());
      }
      if (j == last) break;
      if (cells.at_end()) return ragged(row, failure);
      cells.skip_delimiter();
    }
    return cells.at_end() || ragged(row, failure);
  }

  std::string bad_number(const Row& row, Index j, std::string_view cell) const {
    const std::string& name = schema_[j].name;
    return fmt::format(
        "{}: \"{}\" is not a number; correct the cell, or do not use the column as a "
        "number.",
        place(source_.name(), row.line, j, name), shown(cell));
  }

  bool ragged(const Row& row, std::string& failure) const {
    const std::size_t found = cells_of(row, delimiter_).size();
    const std::size_t wanted = schema_.size();
    const std::string_view remedy =
        options_.header && found == wanted + 1
            ? "name every column, row names included, or quote cells that hold separators"
        : wanted == 1 ? "name the delimiter, or quote cells that hold separators"
                      : "complete the line, or quote cells that hold separators";
    failure = fmt::format("{}, column {}: the line has {} cell{} but {} {}; {}.",
                          place(source_.name(), row.line), std::min(found, wanted) + 1, found,
                          found == 1 ? "" : "s", options_.header ? "the header" : "the first line",
                          wanted, remedy);
    return false;
  }

  ByteSource source_;
  std::shared_ptr<const std::string> source_name_;
  TableOptions options_;
  char delimiter_;
  Workers workers_;
  std::unique_ptr<RowFinder> rows_;
  TableSchema schema_;
  std::vector<bool> kept_as_text_;
  bool types_known_ = false;
  bool decimal_commas_ = false;
  std::vector<std::string> notes_;
  Index rows_read_ = 0;
};

template <char delimiter>
std::unique_ptr<TableReader> open_text(const ByteSource& source, const TableOptions& options) {
  return std::make_unique<CsvReader>(source, options, checked_delimiter(options, delimiter));
}

template <char delimiter>
std::unique_ptr<TableWriter> create_text(std::unique_ptr<OutputStream> out, std::string_view,
                                         const TableOptions& options) {
  return write_csv_rows(std::move(out), options, checked_delimiter(options, delimiter));
}

}  // namespace

const TableFormat kCsvFormat = {"csv", [](std::string_view name) { return name.ends_with(".csv"); },
                                open_text<','>, create_text<','>};
const TableFormat kTsvFormat = {"tsv", [](std::string_view name) { return name.ends_with(".tsv"); },
                                open_text<'\t'>, create_text<'\t'>};
const TableFormat kTxtFormat = {"txt", [](std::string_view name) { return name.ends_with(".txt"); },
                                open_text<kPrediction>, create_text<kPrediction>};

}  // namespace conflux

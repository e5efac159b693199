#include "tables/csv_writer.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conflux/core/error.h"
#include "conflux/core/parallel.h"
#include "tables/number_text.h"
#include "tables/table_format.h"

namespace conflux {

namespace {

constexpr Index kRowsPerText = 256;

class CsvWriter : public TableWriter {
 public:
  CsvWriter(std::unique_ptr<OutputStream> out, const TableOptions& options, char delimiter)
      : out_(std::move(out)),
        header_(options.header),
        delimiter_(delimiter),
        // Semicolons are quoted, so that no file looks as if they separated its cells.
        special_(std::string("\"\r\n;") + delimiter),
        workers_(options.threads) {
    if (delimiter_ != kPrediction) return;
    delimiter_ = '\t';
    special_ = "\"\r\n\t,;";
  }

  void write(const Table& block) override {
    if (!begun_) begin(block);
    // Cells of text may join a column of numbers in a later block: here all of them are text.
    const TableSchema now = block.schema();
    for (std::size_t j = 0; j < std::min(now.size(), schema_.size()); ++j) {
      schema_[j].type = now[j].type;
    }
    require_schema(schema_, block);
    for (Index done = 0; done < block.num_rows(); done += kRowsPerRound) {
      write_round(block, done, std::min(block.num_rows(), done + kRowsPerRound));
    }
  }

  void close() override { out_->close(); }

 private:
  static constexpr Index kRowsPerRound = 64 * kRowsPerText;

  void begin(const Table& block) {
    begun_ = true;
    schema_ = block.schema();
    if (schema_.empty()) {
      throw InvalidData("a table without columns cannot be written; add a column.");
    }
    if (!header_) return;
    std::string line;
    for (const ColumnInfo& column : schema_) append_cell(line, column.name);
    end_line(line);
    out_->write(line);
    at_start_ = false;
  }

  void write_round(const Table& block, Index begin, Index end) {
    const Index tasks = (end - begin + kRowsPerText - 1) / kRowsPerText;
    std::vector<std::string> texts(static_cast<std::size_t>(tasks));
    workers_.for_each(tasks, [&](Index t) {
      const Index first = begin + t * kRowsPerText;
      for (Index i = first; i < std::min(end, first + kRowsPerText); ++i) {
        append_row(texts[t], block, i);
      }
    });
    for (const std::string& text : texts) out_->write(text);
    at_start_ = false;
  }

  void append_row(std::string& text, const Table& block, Index i) const {
    for (const Column& column : block.columns) {
      if (!column.numeric()) {
        append_cell(text, column.text[i]);
        continue;
      }
      if (!std::isnan(column.numbers[i])) {
        append_number(text, column.numbers[i]);
      } else if (schema_.size() == 1) {
        text += "\"\"";
      }
      text += delimiter_;
    }
    end_line(text);
  }

  static void end_line(std::string& text) { text.back() = '\n'; }

  void append_cell(std::string& text, std::string_view cell) const {
    if (!needs_quotes(cell, at_start_ && text.empty())) {
      text += cell;
    } else {
      text += '"';
      for (const char c : cell) {
        if (c == '"') text += '"';
        text += c;
      }
      text += '"';
    }
    text += delimiter_;
  }

  // A line must not look empty, and a file not like one of another kind.
  bool needs_quotes(std::string_view cell, bool opens_file) const {
    if (cell.empty()) return schema_.size() == 1;
    if (opens_file && (cell[0] < ' ' || cell[0] > '~' || cell[0] == '(')) return true;
    return cell.find_first_of(special_) != cell.npos;
  }

  std::unique_ptr<OutputStream> out_;
  bool header_;
  char delimiter_;
  std::string special_;
  Workers workers_;
  TableSchema schema_;
  bool begun_ = false;
  bool at_start_ = true;
};

}  // namespace

std::unique_ptr<TableWriter> write_csv_rows(std::unique_ptr<OutputStream> out,
                                            const TableOptions& options, char delimiter) {
  return std::make_unique<CsvWriter>(std::move(out), options, delimiter);
}

}  // namespace conflux

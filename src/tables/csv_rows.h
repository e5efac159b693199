// A text table as rows, and a row as cells.
//
// Finding where rows end needs one look for line ends and one for quotes; only rows with quotes are
// walked through. Cells are found when they are read.

#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "conflux/core/error.h"
#include "files/input_stream.h"
#include "tables/number_text.h"
#include "tables/table_format.h"

namespace conflux {

inline std::string place(std::string_view file, Index line) {
  return fmt::format("{}, line {}", file, line);
}

inline std::string place(std::string_view file, Index line, Index column, std::string_view name) {
  return fmt::format("{}, line {}, column {} (\"{}\")", file, line, column + 1, shown(name));
}

// The text of one row, without its line end.
struct Row {
  const char* begin;
  const char* end;
  Index line;
};

// Cuts a stream of text into rows.
class RowFinder {
 public:
  RowFinder(std::unique_ptr<InputStream> stream, std::string name)
      : stream_(std::move(stream)), name_(std::move(name)) {
    refill();
    skip_byte_order_mark();
  }

  std::string_view first_line() const {
    const char* newline = find(at_, '\n');
    return {at_, static_cast<std::size_t>(newline - at_)};
  }

  void set_delimiter(char delimiter) { delimiter_ = delimiter; }

  // Up to max_rows rows, which live until the next call; none at the end of the text.
  std::span<const Row> next(Index max_rows) {
    find_rows(max_rows);
    while (rows_.empty() && !ended_) {
      refill();
      find_rows(max_rows);
    }
    return rows_;
  }

  // The same without passing over them; fewer than there are when they do not fit a piece.
  std::span<const Row> peek(Index max_rows) {
    for (;;) {
      const State before = {at_, next_quote_, line_, blank_line_};
      find_rows(max_rows);
      std::tie(at_, next_quote_, line_, blank_line_) = before;
      const bool full = static_cast<std::size_t>(end_ - at_) >= kPiece / 2 && !rows_.empty();
      if (static_cast<Index>(rows_.size()) == max_rows || full || ended_) return rows_;
      refill();
    }
  }

 private:
  // Pieces of a file grow from the first size to the second, so that small files cost little.
  static constexpr std::size_t kFirstPiece = std::size_t{1} << 10;
  static constexpr std::size_t kPiece = std::size_t{1} << 23;
  // A longer row means a quote without its end.
  static constexpr std::size_t kLongestRow = std::size_t{1} << 28;

  using State = std::tuple<const char*, const char*, Index, Index>;

  const char* find(const char* from, char c) const {
    const void* found = std::memchr(from, c, static_cast<std::size_t>(end_ - from));
    return found == nullptr ? end_ : static_cast<const char*>(found);
  }

  // Moves the unused bytes to the front and reads more behind them.
  void refill() {
    const std::size_t left = static_cast<std::size_t>(end_ - at_);
    std::size_t capacity = std::max(capacity_, kFirstPiece);
    if (capacity_ > 0 && capacity < kPiece) capacity = std::min(kPiece, 8 * capacity);
    if (2 * left > capacity) capacity *= 2;
    if (left > kLongestRow) {
      const bool quoted = next_quote_ < end_;
      throw InvalidData(fmt::format(
          "{}: a row of more than {} bytes begins here; {}.", place(name_, line_), kLongestRow,
          quoted ? "close its quote" : "put every row on a line of its own, or name the format"));
    }
    if (capacity != capacity_) {
      auto larger = std::make_unique_for_overwrite<char[]>(capacity);
      if (left > 0) std::memcpy(larger.get(), at_, left);
      buffer_ = std::move(larger);
      capacity_ = capacity;
    } else if (left > 0) {
      std::memmove(buffer_.get(), at_, left);
    }
    at_ = buffer_.get();
    const std::size_t got = stream_->read(buffer_.get() + left, capacity_ - left);
    ended_ = got < capacity_ - left;
    end_ = at_ + left + got;
    next_quote_ = find(at_, '"');
  }

  void skip_byte_order_mark() {
    const std::string_view text(at_, static_cast<std::size_t>(end_ - at_));
    if (text.starts_with("\xEF\xBB\xBF")) at_ += 3;
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
      throw InvalidData(fmt::format("{} is UTF-16 text; convert it to UTF-8.", name_));
    }
  }

  void find_rows(Index max_rows) {
    rows_.clear();
    while (static_cast<Index>(rows_.size()) < max_rows && at_ != end_) {
      if (next_quote_ < at_) next_quote_ = find(at_, '"');
      const char* newline = find(at_, '\n');
      Row row{at_, newline, line_};
      Index lines = 1;
      if (next_quote_ < newline) {
        newline = end_of_quoted_row(lines);
        row.end = newline;
      }
      if (newline == end_ && !ended_) return;
      if (row.end != row.begin && row.end[-1] == '\r') --row.end;
      at_ = newline == end_ ? end_ : newline + 1;
      line_ += lines;
      if (row.begin == row.end) {
        if (blank_line_ == 0) blank_line_ = row.line;
        continue;
      }
      if (blank_line_ != 0) {
        throw InvalidData(fmt::format("{} is empty but rows follow; remove the line.",
                                      place(name_, blank_line_)));
      }
      rows_.push_back(row);
    }
  }

  // Where the row at at_ ends when quotes are taken into account; end_ when more text is needed.
  const char* end_of_quoted_row(Index& lines) const {
    const char* p = at_;
    for (Index column = 0;; ++column) {
      if (p != end_ && *p == '"') {
        p = end_of_quotes(p, column, lines);
        if (p == end_ || (*p == '\r' && p + 1 == end_)) return end_;
        const bool closes = *p == delimiter_ || *p == '\n' || (*p == '\r' && p[1] == '\n');
        if (!closes) {
          throw InvalidData(fmt::format(
              "{}, column {}: text follows a closing quote; write quotes inside a cell twice.",
              place(name_, line_ + lines - 1), column + 1));
        }
      }
      while (p != end_ && *p != delimiter_ && *p != '\n') ++p;
      if (p == end_ || *p == '\n') return p;
      ++p;
    }
  }

  // One past the quote that closes the one at p.
  const char* end_of_quotes(const char* p, Index column, Index& lines) const {
    const Index opened = line_ + lines - 1;
    for (++p;;) {
      const char* close = find(p, '"');
      lines += std::count(p, close, '\n');
      // A quote at the end of the buffer may be the first of two.
      if (close == end_ || (close + 1 == end_ && !ended_)) {
        if (!ended_) return end_;
        throw InvalidData(
            fmt::format("{}, column {}: a quote is opened here and never closed; "
                        "close it, or remove it.",
                        place(name_, opened), column + 1));
      }
      if (close + 1 == end_ || close[1] != '"') return close + 1;
      p = close + 2;
    }
  }

  std::unique_ptr<InputStream> stream_;
  std::string name_;
  char delimiter_ = ',';
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* next_quote_ = nullptr;
  bool ended_ = false;
  Index line_ = 1;
  Index blank_line_ = 0;
  std::vector<Row> rows_;
};

// Walks over the cells of a row.
class Cells {
 public:
  Cells(const Row& row, char delimiter, std::string& scratch)
      : p_(row.begin), end_(row.end), delimiter_(delimiter), scratch_(scratch) {}

  bool at_end() const { return p_ == end_; }
  void skip_delimiter() { ++p_; }

  // Most cells are plain numbers that end where the cell ends.
  bool take_number(double& value) {
    const char* stop = read_decimal(p_, end_, value);
    if (stop == nullptr || (stop != end_ && *stop != delimiter_)) return false;
    p_ = stop;
    return true;
  }

  // The next cell, without quotes; it lives until the next call.
  std::string_view take() {
    if (p_ != end_ && *p_ == '"') return take_quoted();
    const void* found = std::memchr(p_, delimiter_, static_cast<std::size_t>(end_ - p_));
    const char* stop = found == nullptr ? end_ : static_cast<const char*>(found);
    const std::string_view cell(p_, static_cast<std::size_t>(stop - p_));
    p_ = stop;
    return cell;
  }

 private:
  // The row finder has seen that quotes are closed and that a delimiter follows.
  std::string_view take_quoted() {
    scratch_.clear();
    for (++p_;;) {
      const void* found = std::memchr(p_, '"', static_cast<std::size_t>(end_ - p_));
      const char* quote = found == nullptr ? end_ : static_cast<const char*>(found);
      scratch_.append(p_, quote);
      p_ = quote == end_ ? end_ : quote + 1;
      if (p_ == end_ || *p_ != '"') break;
      scratch_ += '"';
      ++p_;
    }
    return scratch_;
  }

  const char* p_;
  const char* end_;
  char delimiter_;
  std::string& scratch_;
};

}  // namespace conflux

// Arrays of numbers or text of fixed width, as NPY, NPZ and IDX files hold them.
//
// A header announces the sizes; memory is not allocated on its word alone. Rows are read in pieces,
// so that a header that promises too much ends in an error after the bytes that are really there.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conflux/core/matrix.h"
#include "conflux/tables/table.h"
#include "files/input_stream.h"

namespace conflux {

enum class ElementKind { kFloat, kSigned, kUnsigned, kBool, kUnicode, kBytes };

struct ElementType {
  ElementKind kind = ElementKind::kFloat;
  /// Bytes of one element.
  std::uint64_t size = 8;
  bool big_endian = false;

  bool text() const { return kind == ElementKind::kUnicode || kind == ElementKind::kBytes; }
};

struct ArrayLayout {
  ElementType type;
  /// Columns are contiguous instead of rows.
  bool fortran = false;
  Index rows = 0;
  Index cols = 1;

  std::uint64_t row_bytes() const { return type.size * static_cast<std::uint64_t>(cols); }
  std::uint64_t bytes() const { return row_bytes() * static_cast<std::uint64_t>(rows); }
};

/// Rows and columns of a shape with at least one entry: entries after the first are multiplied.
/// Throws InvalidData when a product does not fit, there are too many columns or none, or, with
/// `available` known, fewer bytes than that.
ArrayLayout checked_layout(const std::string& name, ElementType type, bool fortran,
                           const std::vector<std::uint64_t>& shape,
                           std::optional<std::uint64_t> available);

class ArrayReader {
 public:
  /// Elements that are needed by position, because columns are contiguous.
  using ByPosition = std::function<std::shared_ptr<const RandomAccess>()>;

  /// The stream stands at the first element. `by_position` gives the same elements from 0 on; when
  /// it is empty and needed, the stream is read into memory.
  ArrayReader(std::string name, const ArrayLayout& layout, std::unique_ptr<InputStream> stream,
              const ByPosition& by_position);

  const ArrayLayout& layout() const { return layout_; }
  Index rows_left() const { return layout_.rows - done_; }
  ColumnType column_type() const {
    return layout_.type.text() ? ColumnType::kText : ColumnType::kNumeric;
  }
  /// Appends up to `count` rows to columns first .. first + cols - 1 of a table.
  void read(Table& table, Index first, Index count);

 private:
  void read_piece(Index count);
  void require_end();
  void decode_piece(Table& table, Index first, Index count) const;

  std::string name_;
  ArrayLayout layout_;
  std::unique_ptr<InputStream> stream_;
  std::shared_ptr<const RandomAccess> access_;
  Index done_ = 0;
  std::vector<char> piece_;
};

/// A table whose columns are those of one array, without names.
class ArrayTableReader : public TableReader {
 public:
  ArrayTableReader(std::string name, std::unique_ptr<ArrayReader> array);

  const TableSchema& schema() override { return schema_; }
  bool read(Table& block, Index max_rows) override;

 private:
  std::string name_;
  std::unique_ptr<ArrayReader> array_;
  TableSchema schema_;
};

/// Appends the elements of a column, or of a row, as bytes. Numbers that are finite but too large
/// for float32 throw InvalidData.
void append_float64(std::string& bytes, double value, bool big_endian = false);
void append_float32(std::string& bytes, double value);
void append_uint32(std::string& bytes, std::uint32_t value, bool big_endian = false);
void append_uint64(std::string& bytes, std::uint64_t value);
void append_uint16(std::string& bytes, std::uint16_t value);

/// Gives the rows of numeric columns as float64, or float32, in pieces to `write`.
void write_rows(std::span<const Column> columns, bool single,
                const std::function<void(std::string_view)>& write);

std::uint32_t load_uint32(const char* bytes, bool big_endian = false);
std::uint64_t load_uint64(const char* bytes);
std::uint16_t load_uint16(const char* bytes);

/// Code points of UTF-8 text; nothing when it is not valid UTF-8.
std::optional<std::u32string> code_points(std::string_view text);

}  // namespace conflux

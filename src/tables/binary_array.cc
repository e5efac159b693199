#include "tables/binary_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include "conflux/core/error.h"
#include "files/piece.h"
#include "tables/table_format.h"

namespace conflux {

namespace {

constexpr std::uint64_t kBytesAtATime = std::uint64_t{1} << 20;
constexpr std::uint64_t kLongestText = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;

std::uint64_t checked_product(const std::string& name, std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > kMostBytes / b) {
    throw InvalidData(fmt::format(
        "{}: the header tells of {} times {} elements, more than any file holds; make it again.",
        name, a, b));
  }
  return a * b;
}

template <class T>
T load(const char* bytes, bool big_endian) {
  std::array<char, sizeof(T)> raw{};
  std::memcpy(raw.data(), bytes, sizeof(T));
  if (big_endian != (std::endian::native == std::endian::big)) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<T>(raw);
}

template <class T>
void store(std::string& to, T value, bool big_endian) {
  auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
  if (big_endian != (std::endian::native == std::endian::big)) std::reverse(raw.begin(), raw.end());
  to.append(raw.data(), raw.size());
}

// Whether an integer is a double without rounding.
template <class T>
bool is_exact(T value) {
  if constexpr (sizeof(T) < 8) {
    return true;
  } else {
    if (value == 0) return true;
    std::uint64_t size = static_cast<std::uint64_t>(value);
    if constexpr (std::is_signed_v<T>) {
      if (value < 0) size = std::uint64_t{0} - size;
    }
    return std::bit_width(size) - std::countr_zero(size) <= 53;
  }
}

struct Place {
  const std::string& name;
  Index row;
  Index column;
};

// Elements that stand `stride` bytes apart.
template <class T>
void decode(const char* bytes, std::uint64_t stride, bool big_endian, const Place& place,
            std::span<double> out) {
  for (std::size_t i = 0; i < out.size(); ++i, bytes += stride) {
    const T value = load<T>(bytes, big_endian);
    if constexpr (std::is_integral_v<T>) {
      if (!is_exact(value)) {
        throw InvalidData(fmt::format(
            "{}: row {}, column {} is {}, which no double holds exactly; store it as float64.",
            place.name, place.row + static_cast<Index>(i) + 1, place.column + 1, value));
      }
    }
    out[i] = static_cast<double>(value);
  }
}

void decode_numbers(const ElementType& type, const char* bytes, std::uint64_t stride,
                    const Place& place, std::span<double> out) {
  const bool big = type.big_endian;
  const auto as = [&](auto tag) { decode<decltype(tag)>(bytes, stride, big, place, out); };
  switch (type.kind) {
    case ElementKind::kFloat:
      return type.size == 4 ? as(float{}) : as(double{});
    case ElementKind::kSigned:
      if (type.size == 1) return as(std::int8_t{});
      if (type.size == 2) return as(std::int16_t{});
      return type.size == 4 ? as(std::int32_t{}) : as(std::int64_t{});
    case ElementKind::kUnsigned:
      if (type.size == 1) return as(std::uint8_t{});
      if (type.size == 2) return as(std::uint16_t{});
      return type.size == 4 ? as(std::uint32_t{}) : as(std::uint64_t{});
    case ElementKind::kBool:
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = bytes[i * stride] != 0 ? 1 : 0;
      return;
    default:
      return;
  }
}

void append_code_point(std::string& text, std::uint32_t c) {
  const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0 | c >> 6);
    byte(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    byte(0xE0 | c >> 12);
    byte(0x80 | (c >> 6 & 0x3F));
    byte(0x80 | (c & 0x3F));
  } else {
    byte(0xF0 | c >> 18);
    byte(0x80 | (c >> 12 & 0x3F));
    byte(0x80 | (c >> 6 & 0x3F));
    byte(0x80 | (c & 0x3F));
  }
}

bool is_code_point(std::uint32_t c) { return c < 0xD800 || (c > 0xDFFF && c < 0x110000); }

// Text is filled up with zeros at its end.
std::string decode_text(const ElementType& type, const char* bytes, const Place& place) {
  if (type.kind == ElementKind::kBytes) {
    std::string text(bytes, type.size);
    text.resize(text.find_last_not_of('\0') + 1);
    return text;
  }
  std::uint64_t count = type.size / 4;
  while (count > 0 && load<std::uint32_t>(bytes + 4 * (count - 1), false) == 0) --count;
  std::string text;
  for (std::uint64_t k = 0; k < count; ++k) {
    const auto c = load<std::uint32_t>(bytes + 4 * k, type.big_endian);
    if (!is_code_point(c)) {
      throw InvalidData(
          fmt::format("{}: row {} holds {:#x}, which is no character; make the file "
                      "again.",
                      place.name, place.row + 1, c));
    }
    append_code_point(text, c);
  }
  return text;
}

}  // namespace

ArrayLayout checked_layout(const std::string& name, ElementType type, bool fortran,
                           const std::vector<std::uint64_t>& shape,
                           std::optional<std::uint64_t> available) {
  if (type.size > kLongestText) {
    throw InvalidData(
        fmt::format("{}: the header tells of texts of {} bytes; at most {} are "
                    "supported.",
                    name, type.size, kLongestText));
  }
  std::uint64_t cols = 1;
  for (std::size_t k = 1; k < shape.size(); ++k) cols = checked_product(name, cols, shape[k]);
  const std::uint64_t bytes =
      checked_product(name, checked_product(name, shape[0], std::max<std::uint64_t>(cols, 1)),
                      std::max<std::uint64_t>(type.size, 1));
  if (cols == 0 || cols > static_cast<std::uint64_t>(kMostColumns)) {
    throw InvalidData(
        fmt::format("{}: the header tells of {} columns; at least 1 and at most {} "
                    "are supported.",
                    name, cols, kMostColumns));
  }
  if (available && bytes != *available) {
    throw InvalidData(
        fmt::format("{}: the header tells of {} bytes of data but there are {}; copy "
                    "or make the file again.",
                    name, bytes, *available));
  }
  return {type, fortran && cols > 1, static_cast<Index>(shape[0]), static_cast<Index>(cols)};
}

ArrayReader::ArrayReader(std::string name, const ArrayLayout& layout,
                         std::unique_ptr<InputStream> stream, const ByPosition& by_position)
    : name_(std::move(name)), layout_(layout), stream_(std::move(stream)) {
  if (!layout_.fortran) return;
  access_ = by_position ? by_position() : access_to(read_rest(*stream_), name_);
  if (access_->size() != layout_.bytes()) {
    throw InvalidData(
        fmt::format("{}: the header tells of {} bytes of data but there are {}; copy "
                    "or make the file again.",
                    name_, layout_.bytes(), access_->size()));
  }
}

void ArrayReader::read(Table& table, Index first, Index count) {
  count = std::min(count, rows_left());
  const auto per_piece = static_cast<Index>(
      std::max<std::uint64_t>(1, kBytesAtATime / std::max<std::uint64_t>(1, layout_.row_bytes())));
  while (count > 0) {
    const Index now = std::min(count, per_piece);
    read_piece(now);
    decode_piece(table, first, now);
    done_ += now;
    count -= now;
  }
  if (rows_left() == 0 && !layout_.fortran) require_end();
}

// Looking behind the last row also lets compressed streams compare their checksums.
void ArrayReader::require_end() {
  char more = 0;
  if (stream_->read(&more, 1) == 0) return;
  throw InvalidData(fmt::format(
      "{}: more bytes follow than the {} rows that the header tells of; copy or make the file "
      "again.",
      name_, layout_.rows));
}

// Row after row, or, by position, column after column.
void ArrayReader::read_piece(Index count) {
  const std::uint64_t wanted = layout_.row_bytes() * static_cast<std::uint64_t>(count);
  piece_.resize(wanted);
  if (!layout_.fortran) {
    const std::size_t got = stream_->read(piece_.data(), wanted);
    if (got == wanted) return;
    throw InvalidData(fmt::format("{} ends after {} of {} rows; copy or make the file again.",
                                  name_, done_ + static_cast<Index>(got / layout_.row_bytes()),
                                  layout_.rows));
  }
  const std::uint64_t size = layout_.type.size;
  const std::uint64_t part = size * static_cast<std::uint64_t>(count);
  for (Index j = 0; j < layout_.cols; ++j) {
    access_->read_at(static_cast<std::uint64_t>(j * layout_.rows + done_) * size,
                     piece_.data() + static_cast<std::uint64_t>(j) * part, part);
  }
}

void ArrayReader::decode_piece(Table& table, Index first, Index count) const {
  const std::uint64_t size = layout_.type.size;
  const std::uint64_t between_rows = layout_.fortran ? size : layout_.row_bytes();
  const std::uint64_t between_cols =
      layout_.fortran ? size * static_cast<std::uint64_t>(count) : size;
  for (Index j = 0; j < layout_.cols; ++j) {
    Column& column = table.columns[first + j];
    const char* bytes = piece_.data() + static_cast<std::uint64_t>(j) * between_cols;
    if (layout_.type.text()) {
      for (Index i = 0; i < count; ++i) {
        column.text.push_back(decode_text(layout_.type,
                                          bytes + static_cast<std::uint64_t>(i) * between_rows,
                                          {name_, done_ + i, j}));
      }
    } else {
      column.numbers.resize(column.numbers.size() + static_cast<std::size_t>(count));
      decode_numbers(layout_.type, bytes, between_rows, {name_, done_, j},
                     std::span(column.numbers).last(static_cast<std::size_t>(count)));
    }
  }
}

ArrayTableReader::ArrayTableReader(std::string name, std::unique_ptr<ArrayReader> array)
    : name_(std::move(name)), array_(std::move(array)) {
  for (Index j = 0; j < array_->layout().cols; ++j) {
    schema_.push_back({unnamed_column(j), array_->column_type()});
  }
}

bool ArrayTableReader::read(Table& block, Index max_rows) {
  start_block(block, schema_, name_, array_->layout().rows - array_->rows_left(), max_rows);
  array_->read(block, 0, max_rows);
  return block.num_rows() > 0;
}

void append_float64(std::string& bytes, double value, bool big_endian) {
  store(bytes, value, big_endian);
}

void append_float32(std::string& bytes, double value) {
  if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max()) {
    throw InvalidData(
        fmt::format("{} is too large for float32; write float64, or rescale the column.", value));
  }
  store(bytes, static_cast<float>(value), false);
}

void append_uint16(std::string& bytes, std::uint16_t value) { store(bytes, value, false); }
void append_uint32(std::string& bytes, std::uint32_t value, bool big_endian) {
  store(bytes, value, big_endian);
}
void append_uint64(std::string& bytes, std::uint64_t value) { store(bytes, value, false); }

std::uint16_t load_uint16(const char* bytes) { return load<std::uint16_t>(bytes, false); }
void write_rows(std::span<const Column> columns, bool single,
                const std::function<void(std::string_view)>& write) {
  const Index rows = columns.empty() ? 0 : columns.front().size();
  std::string bytes;
  for (Index i = 0; i < rows; ++i) {
    for (const Column& column : columns) {
      if (single) {
        append_float32(bytes, column.numbers[i]);
      } else {
        append_float64(bytes, column.numbers[i]);
      }
    }
    if (bytes.size() < kPiece) continue;
    write(bytes);
    bytes.clear();
  }
  write(bytes);
}

std::uint32_t load_uint32(const char* bytes, bool big_endian) {
  return load<std::uint32_t>(bytes, big_endian);
}
std::uint64_t load_uint64(const char* bytes) { return load<std::uint64_t>(bytes, false); }

std::optional<std::u32string> code_points(std::string_view text) {
  std::u32string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned head = byte(i);
    const std::size_t length = head < 0x80   ? 1
                               : head < 0xC0 ? 0
                               : head < 0xE0 ? 2
                               : head < 0xF0 ? 3
                               : head < 0xF8 ? 4
                                             : 0;
    if (length == 0 || i + length > text.size()) return std::nullopt;
    std::uint32_t c = length == 1 ? head : head & (0x7FU >> length);
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(i + k) & 0xC0U) != 0x80) return std::nullopt;
      c = c << 6 | (byte(i + k) & 0x3FU);
    }
    constexpr std::array<std::uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
    if (c < kSmallest[length] || !is_code_point(c)) return std::nullopt;
    out += static_cast<char32_t>(c);
    i += length;
  }
  return out;
}

}  // namespace conflux

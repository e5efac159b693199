#include "tables/mat_arrays.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "conflux/core/error.h"

namespace conflux {

namespace {

constexpr std::size_t kHead = 128;
constexpr std::size_t kVersionAt = 124;
constexpr std::uint32_t kSizes = 5;
constexpr std::uint32_t kMatrix = 14;
constexpr std::uint32_t kCompressed = 15;
constexpr int kCellClass = 1;
constexpr int kCharClass = 4;
constexpr int kFirstNumbers = 6;
constexpr int kLastNumbers = 15;
constexpr int kComplexFlag = 8;

// Bytes of a number of a type of the file; 0 for what is no number. The UTF types are those of
// texts.
std::size_t bytes_of(std::uint32_t type) {
  switch (type) {
    case 1:   // int8
    case 2:   // uint8
    case 16:  // UTF-8
      return 1;
    case 3:   // int16
    case 4:   // uint16
    case 17:  // UTF-16
      return 2;
    case 5:   // int32
    case 6:   // uint32
    case 7:   // single
    case 18:  // UTF-32
      return 4;
    case 9:   // double
    case 12:  // int64
    case 13:  // uint64
      return 8;
    default:
      return 0;
  }
}

struct Element {
  std::uint32_t type = 0;
  std::string_view data;
};

// Walks through the elements of a file, or of an element.
class Elements {
 public:
  Elements(std::string_view bytes, bool swapped, const std::string& name)
      : bytes_(bytes), swapped_(swapped), name_(name) {}

  bool at_end() const { return bytes_.empty(); }
  bool swapped() const { return swapped_; }
  const std::string& name() const { return name_; }

  [[noreturn]] void refuse(const std::string& what) const {
    throw InvalidData(
        fmt::format("{}: the MATLAB file is damaged ({}); copy or save it again.", name_, what));
  }

  Element next() {
    if (bytes_.size() < 8) refuse("it ends within an element");
    const auto first = number<std::uint32_t>(bytes_.data());
    const std::uint32_t small = first >> 16;
    if (small != 0) {
      // Up to four bytes stand beside their type.
      if (small > 4) refuse(fmt::format("an element of four bytes tells of {}", small));
      const Element out{first & 0xffff, bytes_.substr(4, small)};
      bytes_.remove_prefix(8);
      return out;
    }
    const std::size_t size = number<std::uint32_t>(bytes_.data() + 4);
    if (size > bytes_.size() - 8) {
      refuse(fmt::format("an element tells of {} bytes but there are {}", size, bytes_.size() - 8));
    }
    const Element out{first, bytes_.substr(8, size)};
    // Elements begin at multiples of eight bytes, but for compressed ones.
    const std::size_t padded = first == kCompressed ? size : (size + 7) / 8 * 8;
    bytes_.remove_prefix(8 + std::min(padded, bytes_.size() - 8));
    return out;
  }

  template <class T>
  T number(const char* at) const {
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), at, sizeof(T));
    if (swapped_) std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<T>(bytes);
  }

  double number_of(std::uint32_t type, const char* at) const {
    switch (type) {
      case 1:
        return number<std::int8_t>(at);
      case 2:
      case 16:
        return number<std::uint8_t>(at);
      case 3:
        return number<std::int16_t>(at);
      case 4:
      case 17:
        return number<std::uint16_t>(at);
      case 5:
        return number<std::int32_t>(at);
      case 6:
      case 18:
        return number<std::uint32_t>(at);
      case 7:
        return number<float>(at);
      case 9:
        return number<double>(at);
      case 12:
        return static_cast<double>(number<std::int64_t>(at));
      default:
        return static_cast<double>(number<std::uint64_t>(at));
    }
  }

 private:
  std::string_view bytes_;
  bool swapped_;
  const std::string& name_;
};

std::string inflated(std::string_view packed, const Elements& file) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw Error("zlib cannot start; check the memory left.");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  std::array<char, 1 << 16> piece;
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    out.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END) file.refuse("a packed array cannot be unpacked");
  return out;
}

std::vector<double> numbers_of(const Element& element, const Elements& file) {
  const std::size_t size = bytes_of(element.type);
  if (size == 0 || element.data.size() % size != 0) {
    file.refuse(
        fmt::format("{} bytes of type {} are no numbers", element.data.size(), element.type));
  }
  std::vector<double> out;
  out.reserve(element.data.size() / size);
  for (std::size_t at = 0; at < element.data.size(); at += size) {
    out.push_back(file.number_of(element.type, element.data.data() + at));
  }
  return out;
}

void append_utf8(std::string& to, std::uint32_t point) {
  if (point < 0x80) {
    to += static_cast<char>(point);
  } else if (point < 0x800) {
    to += static_cast<char>(0xc0 | point >> 6);
    to += static_cast<char>(0x80 | (point & 0x3f));
  } else {
    to += static_cast<char>(0xe0 | (point >> 12 & 0xf));
    to += static_cast<char>(0x80 | (point >> 6 & 0x3f));
    to += static_cast<char>(0x80 | (point & 0x3f));
  }
}

bool holds_characters(const Element& element) {
  constexpr std::array<std::uint32_t, 5> kTypes = {2, 4, 16, 17, 18};
  return std::find(kTypes.begin(), kTypes.end(), element.type) != kTypes.end();
}

// Characters stand column after column; blanks fill short rows.
std::vector<std::string> texts_of(const Element& element, Index rows, Index cols,
                                  const Elements& file) {
  if (!holds_characters(element)) file.refuse("a text has no characters");
  const std::vector<double> points = numbers_of(element, file);
  // Bytes of UTF-8 are characters only together, which is clear for a single row.
  if (element.type == 16 && rows == 1) return {std::string(element.data)};
  if (static_cast<double>(points.size()) != static_cast<double>(rows) * static_cast<double>(cols)) {
    file.refuse(fmt::format("{} characters for {} x {}", points.size(), rows, cols));
  }
  std::vector<std::string> out(static_cast<std::size_t>(rows));
  for (std::size_t k = 0; k < points.size(); ++k) {
    append_utf8(out[k % out.size()], static_cast<std::uint32_t>(points[k]));
  }
  for (std::string& text : out) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
  }
  return out;
}

struct MatrixHead {
  int kind = 0;
  bool complex = false;
  std::vector<double> sizes;
  std::string name;
};

MatrixHead head_of(Elements& parts) {
  MatrixHead out;
  const Element flags = parts.next();
  if (flags.data.size() < 4) parts.refuse("an array has no flags");
  const auto bits = parts.number<std::uint32_t>(flags.data.data());
  out.kind = static_cast<int>(bits & 0xff);
  out.complex = (bits >> 8 & kComplexFlag) != 0;
  const Element sizes = parts.next();
  if (sizes.type != kSizes) parts.refuse("sizes of an array are no whole numbers");
  out.sizes = numbers_of(sizes, parts);
  for (const double size : out.sizes) {
    if (size < 0) parts.refuse(fmt::format("an array has {} rows or columns", size));
  }
  out.name = std::string(parts.next().data);
  return out;
}

// A text per cell of a list; empty when one of them is something else.
std::vector<std::string> cells_of(Elements& parts, double count) {
  std::vector<std::string> out;
  for (double k = 0; k < count; ++k) {
    const Element cell = parts.next();
    if (cell.type != kMatrix) parts.refuse("a cell is no array");
    if (cell.data.empty()) return {};
    Elements inside(cell.data, parts.swapped(), parts.name());
    const MatrixHead head = head_of(inside);
    if (head.kind != kCharClass || head.sizes.size() != 2) return {};
    const bool empty = head.sizes[0] == 0 || head.sizes[1] == 0;
    if (!empty && head.sizes[0] != 1) return {};
    out.push_back(
        empty ? "" : texts_of(inside.next(), 1, static_cast<Index>(head.sizes[1]), inside).front());
  }
  return out;
}

// Unset for what a table cannot hold.
std::optional<MatArray> array_of(std::string_view bytes, const Elements& file) {
  Elements parts(bytes, file.swapped(), file.name());
  const MatrixHead head = head_of(parts);
  // Nothing that is stored has more.
  constexpr double kMost = 1e15;
  if (head.sizes.size() != 2 || head.sizes[0] * head.sizes[1] < 1) return std::nullopt;
  if (head.sizes[0] * head.sizes[1] > kMost) file.refuse("an array is larger than its file");
  MatArray out{.name = head.name,
               .rows = static_cast<Index>(head.sizes[0]),
               .cols = static_cast<Index>(head.sizes[1])};
  if (head.kind == kCellClass && (out.rows == 1 || out.cols == 1)) {
    out.texts = cells_of(parts, head.sizes[0] * head.sizes[1]);
    return out.is_text() ? std::optional(out) : std::nullopt;
  }
  if (head.kind == kCharClass) {
    out.texts = texts_of(parts.next(), out.rows, out.cols, parts);
    return out;
  }
  if (head.kind < kFirstNumbers || head.kind > kLastNumbers || head.complex) return std::nullopt;
  out.numbers = numbers_of(parts.next(), parts);
  if (static_cast<Index>(out.numbers.size()) != out.rows * out.cols) {
    file.refuse(fmt::format("array \"{}\" is {} x {} but has {} numbers", out.name, out.rows,
                            out.cols, out.numbers.size()));
  }
  return out;
}

}  // namespace

bool is_mat_hdf5(std::string_view bytes) {
  return bytes.size() > kHead && bytes.starts_with("MATLAB 7.3");
}

std::vector<MatArray> read_mat_arrays(std::string_view bytes, const std::string& name) {
  const std::string_view order = bytes.size() < kHead ? "" : bytes.substr(kHead - 2, 2);
  if (order != "IM" && order != "MI") {
    throw InvalidData(
        fmt::format("{} is no MATLAB file of version 5 to 7.3; save it in MATLAB by save -v7, or "
                    "name its format.",
                    name));
  }
  const bool swapped = (order == "MI") == (std::endian::native == std::endian::little);
  Elements file(bytes.substr(kHead), swapped, name);
  if (file.number<std::uint16_t>(bytes.data() + kVersionAt) != 0x0100) {
    file.refuse("its version is none of 5 to 7");
  }
  std::vector<MatArray> out;
  while (!file.at_end()) {
    Element element = file.next();
    std::string unpacked;
    if (element.type == kCompressed) {
      unpacked = inflated(element.data, file);
      element = Elements(unpacked, swapped, name).next();
    }
    if (element.type != kMatrix) continue;
    if (std::optional<MatArray> array = array_of(element.data, file)) out.push_back(*array);
  }
  return out;
}

}  // namespace conflux

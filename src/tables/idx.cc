#include "tables/idx.h"

#include <fmt/format.h>

#include <limits>

#include "conflux/core/error.h"
#include "files/piece.h"
#include "tables/binary_array.h"

namespace conflux {

namespace {

constexpr char kBytes = 0x08;
constexpr char kDoubles = 0x0E;
// Zeros, type, number of dimensions, two dimensions.
constexpr std::size_t kHeadSize = 12;

ElementType element_type(char code, const std::string& name) {
  switch (code) {
    case kBytes:
      return {ElementKind::kUnsigned, 1, true};
    case 0x09:
      return {ElementKind::kSigned, 1, true};
    case 0x0B:
      return {ElementKind::kSigned, 2, true};
    case 0x0C:
      return {ElementKind::kSigned, 4, true};
    case 0x0D:
      return {ElementKind::kFloat, 4, true};
    case kDoubles:
      return {ElementKind::kFloat, 8, true};
    default:
      throw InvalidData(
          fmt::format("{}: the IDX header tells of elements of type {:#04x}; the types "
                      "are 0x08, 0x09 and 0x0b to 0x0e.",
                      name, static_cast<unsigned char>(code)));
  }
}

std::unique_ptr<TableReader> read_idx(const ByteSource& source) {
  const std::string& name = source.name();
  auto stream = source.stream();
  std::string head(4, '\0');
  const bool complete = stream->read(head.data(), 4) == 4;
  if (!complete || head[0] != 0 || head[1] != 0 || head[3] < 1) {
    throw InvalidData(
        fmt::format("{} is not an IDX file, which begins with two zeros, a type and "
                    "the number of dimensions; name its format.",
                    name));
  }
  const ElementType type = element_type(head[2], name);
  std::string dims(4 * static_cast<std::size_t>(head[3]), '\0');
  if (stream->read(dims.data(), dims.size()) != dims.size()) {
    throw InvalidData(
        fmt::format("{}: the IDX header ends too early; copy or make the file again.", name));
  }
  std::vector<std::uint64_t> shape;
  for (std::size_t k = 0; k < dims.size(); k += 4) {
    shape.push_back(load_uint32(dims.data() + k, true));
  }
  auto available = source.plain_size();
  if (available) *available -= 4 + dims.size();
  auto array = std::make_unique<ArrayReader>(
      name, checked_layout(name, type, false, shape, available), std::move(stream), nullptr);
  return std::make_unique<ArrayTableReader>(name, std::move(array));
}

class IdxWriter : public TableWriter {
 public:
  IdxWriter(std::unique_ptr<OutputStream> out, bool as_bytes)
      : out_(std::move(out), kHeadSize), as_bytes_(as_bytes) {}

  void write(const Table& block) override {
    if (schema_.empty()) {
      schema_ = block.schema();
      require_numeric(schema_, "IDX");
    }
    require_schema(schema_, block);
    std::string bytes;
    for (Index i = 0; i < block.num_rows(); ++i) {
      for (const Column& column : block.columns) {
        if (as_bytes_) {
          bytes += as_byte(column, i);
        } else {
          append_float64(bytes, column.numbers[i], true);
        }
      }
      if (bytes.size() < kPiece) continue;
      out_.write(bytes);
      bytes.clear();
    }
    out_.write(bytes);
    rows_ += block.num_rows();
    if (rows_ > std::numeric_limits<std::uint32_t>::max()) {
      throw InvalidData("an IDX file holds at most 4294967295 rows; write NPY instead.");
    }
  }

  void close() override {
    std::string head = {0, 0, as_bytes_ ? kBytes : kDoubles, 2};
    append_uint32(head, static_cast<std::uint32_t>(rows_), true);
    append_uint32(head, static_cast<std::uint32_t>(schema_.size()), true);
    out_.close(head);
  }

 private:
  char as_byte(const Column& column, Index i) const {
    const double value = column.numbers[i];
    if (value >= 0 && value <= 255 && value == static_cast<unsigned char>(value)) {
      return static_cast<char>(static_cast<unsigned char>(value));
    }
    throw InvalidData(
        fmt::format("row {}, column \"{}\" is {}, which is no byte; choose a name that "
                    "does not end in \"ubyte\", or another format.",
                    rows_ + i + 1, column.name, value));
  }

  HeadedOutput out_;
  bool as_bytes_;
  TableSchema schema_;
  Index rows_ = 0;
};

}  // namespace

const TableFormat kIdxFormat = {
    "idx", [](std::string_view name) { return name.ends_with(".idx") || name.ends_with("ubyte"); },
    [](const ByteSource& source, const TableOptions&) -> std::unique_ptr<TableReader> {
      return read_idx(source);
    },
    [](std::unique_ptr<OutputStream> out, std::string_view name,
       const TableOptions&) -> std::unique_ptr<TableWriter> {
      return std::make_unique<IdxWriter>(std::move(out), name.ends_with("ubyte"));
    }};

}  // namespace conflux

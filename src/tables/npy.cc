#include "tables/npy.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <limits>

#include "conflux/core/error.h"
#include "files/descriptor.h"
#include "tables/npy_format.h"

namespace conflux {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint32_t kLongestHeader = 1 << 16;

[[noreturn]] void refuse_header(const std::string& name, std::string_view what) {
  throw InvalidData(
      fmt::format("{}: the NPY header {}; save the array again with numpy.save.", name, what));
}

// Reads the Python literal {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  NpyHeader parse() {
    NpyHeader header;
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!take('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        header.descr = descr();
        has_type = true;
      } else if (key == "fortran_order") {
        header.fortran = truth();
        has_order = true;
      } else if (key == "shape") {
        header.shape = tuple();
        has_shape = true;
      } else {
        refuse_header(name_, fmt::format("has the unknown key \"{}\"", key.substr(0, 40)));
      }
      if (take('}')) break;
      expect(',');
    }
    if (!has_type || !has_order || !has_shape) {
      refuse_header(name_, "lacks descr, fortran_order or shape");
    }
    return header;
  }

 private:
  void skip_blanks() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) {
      text_.remove_prefix(1);
    }
  }

  bool take(char c) {
    skip_blanks();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!take(c)) refuse_header(name_, fmt::format("lacks a \"{}\"", c));
  }

  std::string quoted() {
    const char quote = take('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const auto end = text_.find(quote);
    if (end == text_.npos) refuse_header(name_, "has an open quote");
    std::string out(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return out;
  }

  std::string descr() {
    skip_blanks();
    if (text_.starts_with('[')) {
      throw InvalidData(fmt::format(
          "{} holds records of several fields; save each field as its own array.", name_));
    }
    return quoted();
  }

  bool truth() {
    skip_blanks();
    for (const auto& [word, value] :
         {std::pair{std::string_view("True"), true}, std::pair{std::string_view("False"), false}}) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return value;
    }
    refuse_header(name_, "has a fortran_order that is neither True nor False");
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> out;
    expect('(');
    while (!take(')')) {
      skip_blanks();
      std::uint64_t value = 0;
      const auto [stop, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
      if (error != std::errc()) refuse_header(name_, "has a shape that is not made of counts");
      text_.remove_prefix(static_cast<std::size_t>(stop - text_.data()));
      take('L');
      out.push_back(value);
      if (take(')')) break;
      expect(',');
    }
    return out;
  }

  std::string_view text_;
  const std::string& name_;
};

ElementType element_type(const std::string& descr, const std::string& name) {
  const auto refuse = [&]() {
    throw InvalidData(fmt::format(
        "{} holds elements of type \"{}\"; convert them to float32, float64, integers, bool or "
        "text (S, U).",
        name, descr.substr(0, 40)));
  };
  if (descr.size() < 3) refuse();
  ElementType type;
  type.big_endian = descr[0] == '>';
  if (std::string_view("<>|=").find(descr[0]) == std::string_view::npos) refuse();
  const char* begin = descr.data() + 2;
  const char* end = descr.data() + descr.size();
  const auto [stop, error] = std::from_chars(begin, end, type.size);
  if (error != std::errc() || stop != end || type.size == 0 ||
      type.size > std::numeric_limits<std::uint32_t>::max()) {
    refuse();
  }
  const auto of_size = [&](std::initializer_list<std::uint64_t> sizes) {
    if (std::find(sizes.begin(), sizes.end(), type.size) == sizes.end()) refuse();
  };
  switch (descr[1]) {
    case 'f':
      of_size({4, 8});
      type.kind = ElementKind::kFloat;
      break;
    case 'i':
      of_size({1, 2, 4, 8});
      type.kind = ElementKind::kSigned;
      break;
    case 'u':
      of_size({1, 2, 4, 8});
      type.kind = ElementKind::kUnsigned;
      break;
    case 'b':
      of_size({1});
      type.kind = ElementKind::kBool;
      break;
    case 'U':
      type.size *= 4;
      type.kind = ElementKind::kUnicode;
      break;
    case 'S':
      type.kind = ElementKind::kBytes;
      break;
    default:
      refuse();
  }
  return type;
}

std::unique_ptr<TableReader> read_npy(const ByteSource& source) {
  const std::string& name = source.name();
  auto stream = source.stream();
  const NpyHeader header = read_npy_header(*stream, name);
  const ArrayLayout layout = npy_layout(header, name, source.plain_size());
  ArrayReader::ByPosition by_position;
  if (source.plain_size()) {
    by_position = [&] { return part_of(source.random_access(), header.size, layout.bytes()); };
  }
  auto array = std::make_unique<ArrayReader>(name, layout, std::move(stream), by_position);
  return std::make_unique<ArrayTableReader>(name, std::move(array));
}

class NpyWriter : public TableWriter {
 public:
  NpyWriter(std::unique_ptr<OutputStream> out, const TableOptions& options)
      : out_(std::move(out), kNpyHeadSize), single_(options.single_precision) {}

  void write(const Table& block) override {
    if (schema_.empty()) {
      schema_ = block.schema();
      require_numeric(schema_, "NPY");
    }
    require_schema(schema_, block);
    write_rows(block.columns, single_, [&](std::string_view bytes) { out_.write(bytes); });
    rows_ += block.num_rows();
  }

  void close() override {
    out_.close(npy_head(single_ ? "<f4" : "<f8", rows_, static_cast<Index>(schema_.size())));
  }

 private:
  HeadedOutput out_;
  bool single_;
  TableSchema schema_;
  Index rows_ = 0;
};

}  // namespace

NpyHeader read_npy_header(InputStream& stream, const std::string& name) {
  const auto take = [&](std::size_t count) {
    std::string bytes(count, '\0');
    if (stream.read(bytes.data(), count) != count) refuse_header(name, "ends too early");
    return bytes;
  };
  std::string magic(kMagic.size(), '\0');
  magic.resize(stream.read(magic.data(), magic.size()));
  if (magic != kMagic) {
    throw InvalidData(
        fmt::format("{} is not an NPY file; name its format, or save it with "
                    "numpy.save.",
                    name));
  }
  const int version = static_cast<unsigned char>(take(2)[0]);
  if (version < 1 || version > 3) refuse_header(name, fmt::format("is of version {}", version));
  const std::uint32_t length =
      version == 1 ? load_uint16(take(2).data()) : load_uint32(take(4).data());
  if (length > kLongestHeader) refuse_header(name, fmt::format("has {} bytes", length));
  NpyHeader header = HeaderParser(take(length), name).parse();
  header.type = element_type(header.descr, name);
  header.size = kMagic.size() + 2 + (version == 1 ? 2 : 4) + length;
  return header;
}

ArrayLayout npy_layout(const NpyHeader& header, const std::string& name,
                       std::optional<std::uint64_t> available) {
  const std::size_t dims = header.shape.size();
  if (dims != 1 && (dims != 2 || header.type.text())) {
    throw InvalidData(fmt::format(
        "{} holds {} of {} dimensions; reshape it to rows x features (or, for text, to one "
        "dimension).",
        name, header.type.text() ? "text" : "numbers", dims));
  }
  if (available) *available -= std::min(*available, header.size);
  return checked_layout(name, header.type, header.fortran, header.shape, available);
}

std::string npy_head(std::string_view descr, Index rows, std::optional<Index> cols) {
  const std::string shape =
      cols ? fmt::format("({}, {})", rows, *cols) : fmt::format("({},)", rows);
  const std::string dict =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, shape);
  std::string head(kMagic);
  head += {'\x01', '\x00'};
  append_uint16(head, static_cast<std::uint16_t>(kNpyHeadSize - kMagic.size() - 4));
  head += dict;
  assert(head.size() < kNpyHeadSize);
  head.resize(kNpyHeadSize - 1, ' ');
  return head + '\n';
}

void MappedNpy::refuse(char kind, std::size_t size) const {
  throw InvalidData(
      fmt::format("{} holds elements of type \"{}\", not \"<{}{}\"; ask for that type, "
                  "or convert the file.",
                  name_, type_, kind, size));
}

template <NpyElement T>
MatrixOf<T> MappedNpy::read_rows(const RowList& positions) const {
  constexpr std::uintptr_t kBlockBytes = 1 << 24;
  const MatrixView<const T> from = view<T>();
  MatrixOf<T> out(static_cast<Index>(positions.size()), cols_);
  std::uintptr_t released = reinterpret_cast<std::uintptr_t>(mapping_.get());
  auto position = positions.begin();
  for (Index i = 0; i < out.rows(); ++i, ++position) {
    const T* row = from.row(*position);
    std::copy_n(row, cols_, out.row(i).data());
    const auto length = reinterpret_cast<std::uintptr_t>(row) - released;
    if (length < kBlockBytes && i + 1 < out.rows()) continue;
    ::madvise(
        const_cast<void*>(mapping_.get()),
        reinterpret_cast<std::uintptr_t>(row) - reinterpret_cast<std::uintptr_t>(mapping_.get()),
        MADV_DONTNEED);
    released = reinterpret_cast<std::uintptr_t>(row);
  }
  return out;
}

template MatrixOf<float> MappedNpy::read_rows(const RowList& positions) const;
template MatrixOf<double> MappedNpy::read_rows(const RowList& positions) const;

MappedNpy map_npy(const std::filesystem::path& path) {
  const ByteSource source = ByteSource::file(path);
  const std::string& name = source.name();
  const auto available = source.plain_size();
  if (!available) {
    throw InvalidData(
        fmt::format("{} is compressed or no file; only plain files can be mapped.", name));
  }
  const NpyHeader header = read_npy_header(*source.stream(), name);
  const ArrayLayout layout = npy_layout(header, name, available);
  const bool swapped =
      layout.type.size > 1 && layout.type.big_endian != (std::endian::native == std::endian::big);
  if (layout.type.text() || layout.fortran || swapped || header.size % layout.type.size != 0) {
    throw InvalidData(fmt::format(
        "{} (type \"{}\", {} order) cannot be mapped; save numpy.ascontiguousarray of it, or read "
        "it as a table.",
        name, header.descr, header.fortran ? "Fortran" : "C"));
  }
  MappedNpy out;
  out.rows_ = layout.rows;
  out.cols_ = layout.cols;
  out.kind_ = layout.type.kind == ElementKind::kFloat    ? 'f'
              : layout.type.kind == ElementKind::kSigned ? 'i'
                                                         : 'u';
  out.size_ = layout.type.size;
  out.type_ = header.descr;
  out.name_ = name;

  const Descriptor file = open_for_reading(path, name);
  const std::size_t length = header.size + layout.bytes();
  void* start = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, file.get(), 0);
  if (start == MAP_FAILED) {
    throw Error(fmt::format("{} cannot be mapped: {}.", name, reason(errno)));
  }
  out.mapping_ = std::shared_ptr<const void>(
      start, [length](const void* mapped) { ::munmap(const_cast<void*>(mapped), length); });
  out.elements_ = static_cast<const char*>(start) + header.size;
  return out;
}

const TableFormat kNpyFormat = {
    "npy", [](std::string_view name) { return name.ends_with(".npy"); },
    [](const ByteSource& source, const TableOptions&) -> std::unique_ptr<TableReader> {
      return read_npy(source);
    },
    [](std::unique_ptr<OutputStream> out, std::string_view,
       const TableOptions& options) -> std::unique_ptr<TableWriter> {
      return std::make_unique<NpyWriter>(std::move(out), options);
    }};

}  // namespace conflux

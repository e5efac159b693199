#include "storage/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "conflux/core/error.h"
#include "files/digest.h"
#include "storage/damaged.h"

namespace conflux {

static_assert(std::endian::native == std::endian::little, "files hold the numbers of memory");

namespace {

constexpr std::size_t kLengthSize = 8;
constexpr std::size_t kElementSize = 8;
// As other readers of safetensors have it.
constexpr std::uint64_t kLongestHeader = 100'000'000;
constexpr Index kLargestSize = Index{1} << 48;
constexpr std::string_view kMetadata = "__metadata__";
constexpr std::string_view kChecksumKey = "checksum";
constexpr std::string_view kBeforeDigits = "\"checksum\":\"xxh3-128:";
constexpr std::string_view kAlgorithm = "xxh3-128:";
constexpr std::size_t kDigits = 32;

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

// The length of a header is a multiple of 8 below 100 MB, so a model begins with none of the marks
// of gzip, zstd, NPY and NPZ, and bytes 4 to 7 are zeros, which text has none of.
bool looks_like_table(std::span<const std::byte> file) {
  const std::string_view text = as_text(file);
  for (const std::string_view mark :
       {std::string_view("\x1f\x8b"), std::string_view("\x28\xb5\x2f\xfd"),
        std::string_view("\x93NUMPY"), std::string_view("PK\x03\x04")}) {
    if (text.starts_with(mark)) return true;
  }
  const auto is_control = [](char c) {
    return (c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == '\x7f';
  };
  const std::string_view head = text.substr(0, kLengthSize);
  const bool has_letters = std::any_of(head.begin(), head.end(), [](char c) { return c > ' '; });
  return has_letters && std::none_of(head.begin(), head.end(), is_control);
}

std::uint64_t header_length(std::span<const std::byte> file) {
  if (looks_like_table(file)) {
    throw InvalidData("this is a table or other text, not a model; are the arguments swapped?");
  }
  if (file.size() < kLengthSize) {
    throw InvalidData(fmt::format(
        "the file has {} bytes, too few for a model; it is truncated or no model.", file.size()));
  }
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthSize);
  if (length > kLongestHeader) {
    throw InvalidData("the file does not begin like a model; this is no model file.");
  }
  if (length > file.size() - kLengthSize) {
    throw InvalidData(
        fmt::format("the header has {} bytes but the file only {}; it is truncated: copy it again.",
                    length, file.size()));
  }
  return length;
}

// Where the digits of the checksum begin.
std::size_t checksum_position(std::span<const std::byte> file, std::uint64_t length) {
  const std::string_view header = as_text(file.subspan(kLengthSize, length));
  const std::size_t at = header.find(kBeforeDigits);
  if (at == header.npos || header.size() - at - kBeforeDigits.size() < kDigits) {
    throw InvalidData(
        "there is no checksum of a known kind; the file is damaged, or written by other means "
        "than conflux.");
  }
  return kLengthSize + at + kBeforeDigits.size();
}

std::string checksum(std::span<const std::byte> file, std::size_t position) {
  Digest digest;
  digest.add(file.first(position));
  digest.add(as_bytes(std::string(kDigits, '0')));
  digest.add(file.subspan(position + kDigits));
  return digest.hex();
}

Index size_from(const Json& json, const std::string& name) {
  if (!json.is_whole()) damaged(fmt::format("\"{}\" has a size that is no number", name));
  const bool small = json.is_count() && json.count() <= static_cast<std::uint64_t>(kLargestSize);
  if (!small) damaged(fmt::format("\"{}\" has a size out of range", name));
  return static_cast<Index>(json.count());
}

}  // namespace

Index product_of_sizes(Index a, Index b) {
  if (a < 0 || b < 0 || (b > 0 && a > kLargestSize / b)) {
    damaged("two sizes multiply to more than a file may hold");
  }
  return a * b;
}

void TensorWriter::set(std::string key, std::string text) {
  metadata_.emplace_back(std::move(key), std::move(text));
}

template <class T>
void TensorWriter::add_bytes(const std::string& name, std::string_view dtype, Shape shape,
                             const std::vector<T>& values) {
  static_assert(sizeof(T) == kElementSize);
  const auto bytes = std::as_bytes(std::span(values));
  tensors_.push_back({name, dtype, std::move(shape), Bytes(bytes.begin(), bytes.end())});
}

void TensorWriter::add(const std::string& name, Shape shape, const std::vector<double>& values) {
  add_bytes(name, "F64", std::move(shape), values);
}

void TensorWriter::add(const std::string& name, Shape shape,
                       const std::vector<std::int64_t>& values) {
  add_bytes(name, "I64", std::move(shape), values);
}

Bytes TensorWriter::header() const {
  Json metadata;
  for (const auto& [key, text] : metadata_) metadata.add(key, text);
  metadata.add(std::string(kChecksumKey), std::string(kAlgorithm) + std::string(kDigits, '0'));
  Json json = {{std::string(kMetadata), std::move(metadata)}};
  std::size_t at = 0;
  for (const Tensor& tensor : tensors_) {
    json.add(tensor.name, {{"dtype", tensor.dtype},
                           {"shape", tensor.shape},
                           {"data_offsets", std::vector{at, at + tensor.bytes.size()}}});
    at += tensor.bytes.size();
  }
  std::string text = to_text(json);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();

  Bytes out(kLengthSize + text.size());
  std::memcpy(out.data(), &length, kLengthSize);
  std::memcpy(out.data() + kLengthSize, text.data(), text.size());
  Digest digest;
  digest.add(out);
  for (const Tensor& tensor : tensors_) digest.add(tensor.bytes);
  const std::string digits = digest.hex();
  std::memcpy(out.data() + checksum_position(out, length), digits.data(), kDigits);
  return out;
}

std::unique_ptr<AtomicFile> TensorWriter::stage(const std::string& path) const {
  auto out = std::make_unique<AtomicFile>(path);
  const auto write = [&](const Bytes& bytes) {
    out->write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  write(header());
  for (const Tensor& tensor : tensors_) write(tensor.bytes);
  out->prepare();
  return out;
}

Bytes TensorWriter::bytes() const {
  Bytes out = header();
  for (const Tensor& tensor : tensors_) {
    out.insert(out.end(), tensor.bytes.begin(), tensor.bytes.end());
  }
  return out;
}

TensorFile TensorFile::parse(Bytes bytes, std::string_view format, int newest_version) {
  TensorFile file;
  file.bytes_ = std::move(bytes);
  const std::uint64_t length = header_length(file.bytes_);
  file.payload_ = kLengthSize + length;
  const Json header = parse_json(as_text(std::span(file.bytes_).subspan(kLengthSize, length)), 4,
                                 "the header of the file");
  file.read_metadata(header, format);
  file.check_version(newest_version);
  for (const auto& [name, description] : header.members()) {
    if (name != kMetadata) file.tensors_.emplace(name, tensor_from(description, name));
  }
  file.check_payload();
  file.check_checksum(length);
  return file;
}

void TensorFile::read_metadata(const Json& header, std::string_view format) {
  if (!header.is_object()) {
    throw InvalidData("the header is no JSON object; this is no model file.");
  }
  const Json* metadata = header.find(kMetadata);
  if (metadata == nullptr || !metadata->is_object()) {
    throw InvalidData(fmt::format("the header has no metadata; this is no {} file.", format));
  }
  for (const auto& [key, value] : metadata->members()) {
    if (!value.is_text()) damaged(fmt::format("metadata \"{}\" is no text", key));
    metadata_[key] = value.text();
  }
  const std::string found = text_or("format", "");
  if (found == format) return;
  throw InvalidData(
      fmt::format("the format is \"{}\", not \"{}\"; this is no {} file.", found, format, format));
}

void TensorFile::check_version(int newest) const {
  const std::string& version = text("format_version");
  const bool number =
      !version.empty() && version.size() < 9 &&
      std::all_of(version.begin(), version.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!number || std::stoi(version) < 1) damaged("the format version is no number above 0");
  if (std::stoi(version) <= newest) return;
  throw InvalidData(fmt::format(
      "the format version is {}, and this conflux reads up to {}: the file was written by a newer "
      "conflux ({}); update.",
      version, newest, text_or("conflux_version", "unknown")));
}

TensorFile::Tensor TensorFile::tensor_from(const Json& json, const std::string& name) {
  const auto field = [&](const char* key, bool (Json::*is_right)() const) -> const Json& {
    const Json* found = json.find(key);
    if (found == nullptr || !(found->*is_right)()) {
      damaged(fmt::format("\"{}\" is not described by dtype, shape and data_offsets", name));
    }
    return *found;
  };
  Tensor tensor{field("dtype", &Json::is_text).text(), {}, 0, 0};
  if (tensor.dtype != "F64" && tensor.dtype != "I64") {
    damaged(fmt::format("\"{}\" has the unknown dtype \"{}\"", name, tensor.dtype));
  }
  Index count = 1;
  for (const Json& size : field("shape", &Json::is_array).items()) {
    tensor.shape.push_back(size_from(size, name));
    count = product_of_sizes(count, tensor.shape.back());
  }
  const Json& range = field("data_offsets", &Json::is_array);
  if (range.size() != 2) damaged(fmt::format("\"{}\" has no begin and end", name));
  tensor.begin = static_cast<std::size_t>(size_from(range[0], name));
  tensor.end = static_cast<std::size_t>(size_from(range[1], name));
  if (tensor.end < tensor.begin ||
      tensor.end - tensor.begin != static_cast<std::size_t>(count) * kElementSize) {
    damaged(fmt::format("\"{}\" has {} numbers but its bytes go from {} to {}", name, count,
                        tensor.begin, tensor.end));
  }
  return tensor;
}

void TensorFile::check_payload() const {
  const std::size_t size = bytes_.size() - payload_;
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (const auto& [name, tensor] : tensors_) ranges.emplace_back(tensor.begin, tensor.end);
  std::sort(ranges.begin(), ranges.end());
  const std::size_t promised = ranges.empty() ? 0 : ranges.back().second;
  if (promised > size) {
    throw InvalidData(fmt::format(
        "the arrays have {} bytes but the file has only {} of them; it is truncated: copy it "
        "again.",
        promised, size));
  }
  std::size_t at = 0;
  for (const auto& [begin, end] : ranges) {
    if (begin != at) damaged(fmt::format("the arrays overlap or leave a gap at byte {}", at));
    at = end;
  }
  if (at != size) damaged(fmt::format("{} bytes follow after the last array", size - at));
}

void TensorFile::check_checksum(std::uint64_t length) const {
  const std::size_t position = checksum_position(bytes_, length);
  const std::string stored(as_text(std::span(bytes_).subspan(position, kDigits)));
  const bool same_text = text_or(std::string(kChecksumKey), "") == std::string(kAlgorithm) + stored;
  if (!same_text || checksum(bytes_, position) != stored) damaged("the checksum does not match");
}

const std::string& TensorFile::text(const std::string& key) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end()) damaged(fmt::format("metadata \"{}\" is missing", key));
  return found->second;
}

std::string TensorFile::text_or(const std::string& key, const std::string& missing) const {
  const auto found = metadata_.find(key);
  return found == metadata_.end() ? missing : found->second;
}

const TensorFile::Tensor& TensorFile::tensor(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) damaged(fmt::format("the array \"{}\" is missing", name));
  return found->second;
}

const Shape& TensorFile::shape(const std::string& name, std::size_t dimensions) const {
  const Tensor& found = tensor(name);
  if (found.shape.size() != dimensions) {
    damaged(fmt::format("\"{}\" has {} dimensions instead of {}", name, found.shape.size(),
                        dimensions));
  }
  return found.shape;
}

template <class T>
std::vector<T> TensorFile::values(const std::string& name, std::string_view dtype,
                                  const Shape& shape) {
  const Tensor& found = tensor(name);
  if (found.dtype != dtype) {
    damaged(fmt::format("\"{}\" has the dtype {} instead of {}", name, found.dtype, dtype));
  }
  if (found.shape != shape) {
    damaged(fmt::format("\"{}\" has the shape [{}] instead of [{}]", name,
                        fmt::join(found.shape, ", "), fmt::join(shape, ", ")));
  }
  read_.insert(name);
  std::vector<T> out((found.end - found.begin) / kElementSize);
  if (!out.empty()) {
    std::memcpy(out.data(), bytes_.data() + payload_ + found.begin, found.end - found.begin);
  }
  return out;
}

std::vector<double> TensorFile::doubles(const std::string& name, const Shape& shape) {
  std::vector<double> out = values<double>(name, "F64", shape);
  const auto bad = std::find_if(out.begin(), out.end(), [](double x) { return !std::isfinite(x); });
  if (bad != out.end()) {
    damaged(fmt::format("number {} of \"{}\" is not finite", bad - out.begin(), name));
  }
  return out;
}

std::vector<std::int64_t> TensorFile::integers(const std::string& name, const Shape& shape) {
  return values<std::int64_t>(name, "I64", shape);
}

std::vector<std::int64_t> TensorFile::offsets(const std::string& name, Index pieces) {
  std::vector<std::int64_t> out = integers(name, {pieces + 1});
  if (out.front() != 0 || !std::is_sorted(out.begin(), out.end())) {
    damaged(fmt::format("\"{}\" does not increase from 0", name));
  }
  return out;
}

void TensorFile::check_all_read() const {
  for (const auto& [name, tensor] : tensors_) {
    if (!read_.contains(name)) damaged(fmt::format("no layer has an array \"{}\"", name));
  }
}

void renew_checksum(Bytes& file) {
  try {
    const std::size_t position = checksum_position(file, header_length(file));
    const std::string digits = checksum(file, position);
    std::memcpy(file.data() + position, digits.data(), kDigits);
  } catch (const InvalidData&) {
    // Nowhere to write it.
  }
}

}  // namespace conflux

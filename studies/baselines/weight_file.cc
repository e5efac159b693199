#include "baselines/weight_file.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "conflux/core/error.h"
#include "tables/archive.h"
#include "tables/npy_format.h"

namespace conflux {

namespace {

constexpr std::string_view kNpyEnding = ".npy";
constexpr std::size_t kBytesOfCharacter = 4;  // numpy's text is UCS-4

template <class T>
std::vector<float> as_floats(const std::string& bytes) {
  std::vector<float> out(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < out.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    out[i] = static_cast<float>(value);
  }
  return out;
}

std::vector<std::string> as_texts(const std::string& bytes, std::size_t width) {
  std::vector<std::string> out;
  for (std::size_t at = 0; width > 0 && at + width <= bytes.size(); at += width) {
    std::string& text = out.emplace_back();
    for (std::size_t k = 0; k < width; k += kBytesOfCharacter) {
      if (const char letter = bytes[at + k]; letter != 0) text += letter;
    }
  }
  return out;
}

std::uint64_t count_of(const NpyHeader& header) {
  std::uint64_t out = 1;
  for (const std::uint64_t size : header.shape) out *= size;
  return out;
}

void read_array(InputStream& stream, const std::string& label, const std::string& array,
                WeightFile& file) {
  const NpyHeader header = read_npy_header(stream, label);
  // The archive has compared the length of the member with what was really there.
  const std::string bytes = read_rest(stream);
  if (header.fortran || header.type.big_endian || std::endian::native != std::endian::little) {
    throw InvalidData(fmt::format(
        "{} is not in C order and little-endian; save numpy.ascontiguousarray of it.", label));
  }
  if (bytes.size() != count_of(header) * header.type.size) {
    throw InvalidData(fmt::format("{} has {} bytes where its shape promises {}; save it again.",
                                  label, bytes.size(), count_of(header) * header.type.size));
  }
  if (header.type.kind == ElementKind::kUnicode) {
    file.texts[array] = as_texts(bytes, header.type.size);
    return;
  }
  WeightArray& out = file.arrays[array];
  for (const std::uint64_t size : header.shape) out.shape.push_back(static_cast<Index>(size));
  if (header.type.kind == ElementKind::kFloat && header.type.size == sizeof(float)) {
    out.values = as_floats<float>(bytes);
  } else if (header.type.kind == ElementKind::kFloat && header.type.size == sizeof(double)) {
    out.values = as_floats<double>(bytes);
  } else {
    throw InvalidData(
        fmt::format("{} holds \"{}\"; save numbers as float32 or float64.", label, header.descr));
  }
}

}  // namespace

WeightFile read_weight_file(const ByteSource& source) {
  WeightFile out{source.name(), {}, {}};
  const ArchiveReader archive(source.random_access(), source.name());
  for (std::size_t k = 0; k < archive.members().size(); ++k) {
    const std::string& member = archive.members()[k].name;
    if (!member.ends_with(kNpyEnding)) continue;
    const std::string array = member.substr(0, member.size() - kNpyEnding.size());
    const std::string label = fmt::format("{}, array \"{}\"", source.name(), array);
    const std::unique_ptr<InputStream> stream = archive.open(k, label);
    read_array(*stream, label, array, out);
  }
  return out;
}

}  // namespace conflux

#include "reproduce/png.h"

#include <zlib.h>

#include <cstdint>

#include "conflux/core/error.h"

namespace conflux::app {

namespace {

void append_number(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
}

// Length, type, data, and a checksum of the latter two.
void append_chunk(std::string& out, const std::string& type, const std::string& data) {
  append_number(out, static_cast<std::uint32_t>(data.size()));
  const std::string body = type + data;
  out += body;
  const auto* bytes = reinterpret_cast<const Bytef*>(body.data());
  append_number(out, static_cast<std::uint32_t>(crc32(0, bytes, static_cast<uInt>(body.size()))));
}

std::string deflated(const std::string& raw) {
  uLongf size = compressBound(raw.size());
  std::string out(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                reinterpret_cast<const Bytef*>(raw.data()), raw.size(), 9) != Z_OK) {
    throw Error("an image could not be compressed; is there memory left?");
  }
  out.resize(size);
  return out;
}

}  // namespace

std::string png_of(int width, int height, const std::vector<unsigned char>& pixels) {
  std::string header;
  append_number(header, static_cast<std::uint32_t>(width));
  append_number(header, static_cast<std::uint32_t>(height));
  header += std::string{8, 0, 0, 0, 0};  // bits, grey, deflate, no special filters, not interlaced
  std::string rows;
  for (int y = 0; y < height; ++y) {
    rows += '\0';  // this row is not filtered
    rows.append(pixels.begin() + y * width, pixels.begin() + (y + 1) * width);
  }
  std::string out = "\x89PNG\r\n\x1a\n";
  append_chunk(out, "IHDR", header);
  append_chunk(out, "IDAT", deflated(rows));
  append_chunk(out, "IEND", "");
  return out;
}

}  // namespace conflux::app

#include "tables/picture_codec.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "conflux/core/error.h"

namespace conflux {

namespace {

constexpr std::string_view kPictureAgain = "copy or make the picture again.";
// No compression of pictures saves more than this.
constexpr std::uint64_t kMostPerByte = 1200;

void check_picture_size(std::uint64_t width, std::uint64_t height, std::uint64_t bytes,
                        const std::string& name) {
  if (width >= 1 && height >= 1 && width <= (1u << 20) && height <= (1u << 20) &&
      width * height <= kMostPerByte * bytes) {
    return;
  }
  throw InvalidData(
      fmt::format("{}: the header announces {} x {} pixels, but the data have {} bytes; {}", name,
                  width, height, bytes, kPictureAgain));
}

/// The head of a PPM or PGM: a magic and three numbers, with blanks and comments between them.
class PpmHead {
 public:
  PpmHead(const std::string& bytes, const std::string& name) : bytes_(bytes), name_(name) {
    if (!bytes.starts_with("P6") && !bytes.starts_with("P5")) {
      throw InvalidData(fmt::format(
          "{} is no picture in PPM or PGM of bytes, which begins with P6 or P5; name its format.",
          name));
    }
    at_ = 2;
  }

  std::uint64_t number() {
    while (at_ < bytes_.size() && (is_blank(bytes_[at_]) || bytes_[at_] == '#')) {
      if (bytes_[at_] == '#') at_ = std::min(bytes_.find('\n', at_), bytes_.size());
      if (at_ < bytes_.size()) ++at_;
    }
    std::uint64_t out = 0;
    const char* const begin = bytes_.data() + at_;
    const auto [end, error] = std::from_chars(begin, bytes_.data() + bytes_.size(), out);
    if (error != std::errc()) {
      throw InvalidData(fmt::format("{}: its head has no size; {}", name_, kPictureAgain));
    }
    at_ += static_cast<std::size_t>(end - begin);
    return out;
  }

  /// Behind the blank that ends the head.
  std::size_t end() const { return at_ + 1; }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

  const std::string& bytes_;
  const std::string& name_;
  std::size_t at_ = 0;
};

}  // namespace

Picture read_png(const std::string& bytes, const std::string& name) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  const auto refuse = [&] {
    const std::string why = image.message;
    png_image_free(&image);
    throw InvalidData(fmt::format("{}: {}; {}", name, why, kPictureAgain));
  };
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) refuse();
  Picture out{.width = image.width, .height = image.height, .pixels = {}};
  try {
    check_picture_size(image.width, image.height, bytes.size(), name);
  } catch (const InvalidData&) {
    png_image_free(&image);
    throw;
  }
  if ((image.format & PNG_FORMAT_FLAG_ALPHA) != 0) {
    out.notes.push_back(fmt::format("{}: its transparency is left out", name));
  }
  if ((image.format & PNG_FORMAT_FLAG_LINEAR) != 0) {
    out.notes.push_back(fmt::format("{}: its sixteen bits become eight", name));
  }
  out.channels = (image.format & PNG_FORMAT_FLAG_COLOR) != 0 ? 3 : 1;
  image.format = out.channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  out.pixels.resize(PNG_IMAGE_SIZE(image));
  const png_color black = {0, 0, 0};
  if (png_image_finish_read(&image, &black, out.pixels.data(), 0, nullptr) == 0) refuse();
  return out;
}

Picture read_ppm(const std::string& bytes, const std::string& name) {
  PpmHead head(bytes, name);
  const std::uint64_t width = head.number(), height = head.number(), largest = head.number();
  check_picture_size(width, height, bytes.size(), name);
  Picture out{.width = static_cast<Index>(width),
              .height = static_cast<Index>(height),
              .channels = bytes[1] == '6' ? 3 : 1,
              .pixels = {}};
  const auto size = static_cast<std::size_t>(out.width * out.height * out.channels);
  if (largest != 255 || head.end() > bytes.size() || bytes.size() - head.end() < size) {
    throw InvalidData(
        fmt::format("{}: {} x {} pixels of values up to {} do not stand behind the head; pictures "
                    "have values up "
                    "to 255: {}",
                    name, width, height, largest, kPictureAgain));
  }
  out.pixels = bytes.substr(head.end(), size);
  return out;
}

Picture read_picture(const std::string& bytes, const std::string& name) {
  return bytes.starts_with("\x89PNG") ? read_png(bytes, name) : read_ppm(bytes, name);
}

std::string png_bytes(const Picture& picture) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = picture.channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string out(size, '\0');
  if (png_image_write_to_memory(&image, out.data(), &size, 0, picture.pixels.data(), 0, nullptr) ==
      0) {
    throw Error(fmt::format("a picture cannot be written: {}", image.message));
  }
  out.resize(size);
  return out;
}

std::string ppm_bytes(const Picture& picture) {
  return fmt::format("P{}\n{} {}\n255\n", picture.channels == 3 ? 6 : 5, picture.width,
                     picture.height) +
         picture.pixels;
}

char pixel_of(double value) {
  return static_cast<char>(static_cast<unsigned char>(std::clamp(std::round(value), 0.0, 255.0)));
}

}  // namespace conflux

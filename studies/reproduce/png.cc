#include "reproduce/png.h"

#include <png.h>

#include "conflux/core/error.h"

namespace conflux::app {

std::string png_of(int width, int height, const std::vector<unsigned char>& pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_GRAY;
  // Rows are not filtered: large areas of one gray pack better as they are.
  image.flags = PNG_IMAGE_FLAG_FAST;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string out(size, '\0');
  if (png_image_write_to_memory(&image, out.data(), &size, 0, pixels.data(), 0, nullptr) == 0) {
    throw Error(std::string("an image could not be written as PNG: ") + image.message + ".");
  }
  out.resize(size);
  return out;
}

}  // namespace conflux::app

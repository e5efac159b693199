// Pictures as bytes of files, and back: PNG, PPM and PGM.

#pragma once

#include <string>
#include <vector>

#include "conflux/core/index.h"

namespace conflux {

struct Picture {
  Index width = 0;
  Index height = 0;
  /// 1 or 3
  Index channels = 3;
  std::string pixels;
  std::vector<std::string> notes = {};
};

/// Throw InvalidData that names the file.
Picture read_png(const std::string& bytes, const std::string& name);
Picture read_ppm(const std::string& bytes, const std::string& name);
/// Whichever of them it is.
Picture read_picture(const std::string& bytes, const std::string& name);

std::string png_bytes(const Picture& picture);
std::string ppm_bytes(const Picture& picture);

/// Rounded, and cut at 0 and 255.
char pixel_of(double value);

}  // namespace conflux

// Gray images as PNG files.

#pragma once

#include <string>
#include <vector>

namespace conflux::app {

/// The bytes of a PNG file; `pixels` row by row.
std::string png_of(int width, int height, const std::vector<unsigned char>& pixels);

}  // namespace conflux::app

// The page itself: files that are part of the program.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace conflux::app {

struct PagePart {
  std::string path;
  std::string type;
  std::string_view text;
};

const std::vector<PagePart>& page_parts();

}  // namespace conflux::app

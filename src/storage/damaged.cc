#include "storage/damaged.h"

#include <fmt/format.h>

#include "conflux/core/error.h"

namespace conflux {

void damaged(const std::string& what) {
  throw InvalidData(what + "; the file is damaged: restore a copy, or fit again.");
}

void damaged(const std::string& name, std::string_view what) {
  damaged(fmt::format("\"{}\" {}", name, what));
}

}  // namespace conflux

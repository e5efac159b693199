#include "conflux/core/error.h"

namespace conflux {

namespace {

std::string without_zero_bytes(std::string text) {
  for (std::size_t at = 0; (at = text.find('\0', at)) != std::string::npos;) {
    text.replace(at, 1, "\\x00");
  }
  return text;
}

}  // namespace

Error::Error(const std::string& text) : std::runtime_error(without_zero_bytes(text)) {}

}  // namespace conflux

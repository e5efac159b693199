#include "serve/upload_name.h"

#include <algorithm>

namespace conflux::app {

namespace {

constexpr std::size_t kLongestName = 120;
constexpr std::size_t kLongestEnding = 8;

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

char decoded(std::string_view text, std::size_t& at) {
  const bool two = text[at] == '%' && at + 2 < text.size();
  const int high = two ? digit_of(text[at + 1]) : -1;
  const int low = two ? digit_of(text[at + 2]) : -1;
  if (high < 0 || low < 0) return text[at];
  at += 2;
  return static_cast<char>(16 * high + low);
}

bool plain(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string uploaded_name(std::string_view encoded) {
  std::string out;
  for (std::size_t at = 0; at < encoded.size(); ++at) {
    const char c = decoded(encoded, at);
    const auto code = static_cast<unsigned char>(c);
    out += code < 0x20 || code == 0x7f ? '_' : c;
  }
  out.erase(0, out.find_last_of("/\\") + 1);
  if (out.size() > kLongestName) out.erase(0, out.size() - kLongestName);
  return out.empty() ? "table.csv" : out;
}

std::string ending_of(std::string_view name) {
  std::string out, ending;
  int endings = 0;
  for (auto at = name.rbegin(); at != name.rend() && endings < 2; ++at) {
    const char c = small(*at);
    if (c == '.') {
      if (ending.empty()) break;
      out = "." + ending + out;
      ending.clear();
      ++endings;
    } else if (plain(c) && ending.size() < kLongestEnding) {
      ending = c + ending;
    } else {
      break;
    }
  }
  return out;
}

}  // namespace conflux::app

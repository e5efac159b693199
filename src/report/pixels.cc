// Are features pixels? Only their names can tell: p00 to p77, pixel0 to pixel783, pixel_3_4, 1x1.

#include <algorithm>
#include <cmath>

#include "report/facts.h"

namespace conflux {

namespace {

constexpr std::size_t kFewestPixels = 16;

// One number, or two with a sign between them; the digits of the first are counted.
struct PixelName {
  Index first = 0;
  Index second = -1;
  std::size_t digits = 0;
};

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

std::optional<Index> take_number(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && length < 6 && is_digit(text[length])) ++length;
  if (length == 0) return std::nullopt;
  const Index out = std::stol(std::string(text.substr(0, length)));
  text.remove_prefix(length);
  return out;
}

std::optional<PixelName> parse(std::string_view name) {
  for (const std::string_view word : {"pixel", "pix", "px", "p"}) {
    if (!name.starts_with(word)) continue;
    name.remove_prefix(word.size());
    if (name.starts_with("_")) name.remove_prefix(1);
    break;
  }
  PixelName out;
  const std::size_t length = name.size();
  const auto first = take_number(name);
  if (!first) return std::nullopt;
  out.first = *first;
  out.digits = length - name.size();
  if (name.empty()) return out;
  if (name.front() != '_' && name.front() != 'x') return std::nullopt;
  name.remove_prefix(1);
  const auto second = take_number(name);
  if (!second || !name.empty()) return std::nullopt;
  out.second = *second;
  return out;
}

// Lines and columns from their numbers, which may begin with 1.
std::optional<PixelGrid> grid_of(const std::vector<std::pair<Index, Index>>& at) {
  Index first = 1, height = 0, width = 0;
  for (const auto& [line, column] : at) first = std::min({first, line, column});
  for (const auto& [line, column] : at) {
    height = std::max(height, line - first + 1);
    width = std::max(width, column - first + 1);
  }
  // Constant pixels at the edges are no features, but most of an image should be there.
  if (height * width > 2 * static_cast<Index>(at.size())) return std::nullopt;
  PixelGrid out{.height = height, .width = width};
  for (const auto& [line, column] : at) {
    out.place.push_back((line - first) * width + column - first);
  }
  return out;
}

}  // namespace

std::optional<PixelGrid> find_pixels(const std::vector<std::string>& names) {
  if (names.size() < kFewestPixels) return std::nullopt;
  std::vector<PixelName> parsed;
  Index last = 0;
  for (const std::string& name : names) {
    const auto found = parse(name);
    // Numbers without a word may be anything.
    if (!found || (is_digit(name.front()) && found->second < 0)) return std::nullopt;
    if (!parsed.empty() && (found->second < 0) != (parsed.front().second < 0)) return std::nullopt;
    last = std::max(last, found->first);
    parsed.push_back(*found);
  }
  std::vector<std::pair<Index, Index>> at;
  if (parsed.front().second >= 0) {
    for (const PixelName& each : parsed) at.emplace_back(each.first, each.second);
    return grid_of(at);
  }
  // Two digits are line and column if that makes a square, otherwise a number.
  const bool pairs = std::all_of(parsed.begin(), parsed.end(),
                                 [](const PixelName& each) { return each.digits == 2; });
  if (pairs) {
    for (const PixelName& each : parsed) at.emplace_back(each.first / 10, each.first % 10);
    auto grid = grid_of(at);
    if (grid && grid->height == grid->width) return grid;
    at.clear();
  }
  const auto side = static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(last))));
  // Numbers from 1 on end with a square.
  const Index first = side * side == last ? 1 : 0;
  for (const PixelName& each : parsed) {
    if (each.first < first) return std::nullopt;
    at.emplace_back((each.first - first) / side, (each.first - first) % side);
  }
  return grid_of(at);
}

}  // namespace conflux

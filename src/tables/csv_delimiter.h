// Finds the separator of the cells of a text table.

#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "conflux/core/error.h"
#include "conflux/tables/table.h"

namespace conflux {

inline constexpr std::string_view kUsual = "\t,;";
using DelimiterCounts = std::array<Index, kUsual.size()>;

// How often each of the usual separators stands outside of quotes.
inline DelimiterCounts count_delimiters(std::string_view line) {
  DelimiterCounts counts{};
  bool inside = false;
  for (const char c : line) {
    if (c == '"') inside = !inside;
    const auto which = kUsual.find(c);
    if (!inside && which != kUsual.npos) ++counts[which];
  }
  return counts;
}

inline char most_frequent(const DelimiterCounts& counts) {
  return kUsual[static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) -
                                         counts.begin())];
}

// Programs that write numbers with a decimal comma separate the cells of a .csv by semicolons, and
// tables that were pasted have tabs.
inline char instead_of_commas(const DelimiterCounts& counts) {
  const char other = most_frequent(counts);
  const bool commas = counts[kUsual.find(',')] > 0 || counts[kUsual.find(other)] == 0;
  return commas ? ',' : other;
}

inline char checked_delimiter(const TableOptions& options, char usual) {
  const char c = options.delimiter;
  if (c == 0) return usual;
  const bool ok =
      c == '\t' || (c >= ' ' && c < 127 && std::isalnum(static_cast<unsigned char>(c)) == 0 &&
                    std::string_view("\"+-.?").find(c) == std::string_view::npos);
  if (!ok) {
    throw InvalidOption(
        fmt::format("the delimiter is \"{}\"; choose a comma, tab, semicolon or "
                    "another sign that cannot be part of a number.",
                    c));
  }
  return c;
}

}  // namespace conflux

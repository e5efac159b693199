#include "dataset/name_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "conflux/core/error.h"
#include "core/nearest_name.h"

namespace conflux {

namespace {

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() == '*') {
    return matches(pattern.substr(1), name) || (!name.empty() && matches(pattern, name.substr(1)));
  }
  if (name.empty() || (pattern.front() != '?' && pattern.front() != name.front())) return false;
  return matches(pattern.substr(1), name.substr(1));
}

std::vector<std::string> names_like(const std::string& pattern,
                                    const std::vector<std::string>& names) {
  const auto place = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name);
  };
  if (place(pattern) != names.end()) return {pattern};
  const std::size_t colon = pattern.find(':');
  if (colon != std::string::npos) {
    const auto first = place(pattern.substr(0, colon));
    const auto last = place(pattern.substr(colon + 1));
    if (first < last && last != names.end()) return {first, last + 1};
  }
  std::vector<std::string> out;
  if (pattern.find_first_of("*?") == std::string::npos) return out;
  std::copy_if(names.begin(), names.end(), std::back_inserter(out),
               [&](const std::string& name) { return matches(pattern, name); });
  return out;
}

}  // namespace

std::vector<std::string> expand_patterns(const std::vector<std::string>& patterns,
                                         const std::vector<std::string>& names,
                                         const std::string& source) {
  std::vector<std::string> out;
  for (auto each = patterns.begin(); each != patterns.end(); ++each) {
    const std::string& pattern = *each;
    if (std::find(patterns.begin(), each, pattern) != each) {
      throw InvalidOption(fmt::format("{}: \"{}\" is named twice; name it once.", source, pattern));
    }
    const std::vector<std::string> found = names_like(pattern, names);
    if (found.empty()) {
      throw InvalidOption(fmt::format("{}: {}", source, unknown_name("column", pattern, names)));
    }
    for (const std::string& name : found) {
      if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
  }
  return out;
}

std::pair<std::string, std::string> names_alike(const std::vector<std::string>& names) {
  std::map<std::string, std::string> known;
  for (const std::string& name : names) {
    std::string plain;
    for (const unsigned char c : name) {
      if (std::isspace(c) == 0) plain += static_cast<char>(std::tolower(c));
    }
    const auto [first, is_new] = known.try_emplace(plain, name);
    if (!is_new && first->second != name) return {first->second, name};
  }
  return {};
}

std::string names_text(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t j = 0; j < std::min<std::size_t>(names.size(), 10); ++j) {
    out += (j == 0 ? "\"" : ", \"") + names[j] + "\"";
  }
  return out + (names.size() > 10 ? ", ..." : "");
}

}  // namespace conflux

#include "tables/fcs_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "tables/binary_array.h"
#include "tables/number_text.h"

namespace conflux {

namespace {

std::vector<std::string> split_segment(std::string_view segment, bool doubled) {
  std::vector<std::string> out;
  if (segment.empty()) return out;
  const char separator = segment.front();
  std::string field;
  for (std::size_t k = 1; k < segment.size(); ++k) {
    if (segment[k] != separator) {
      field += segment[k];
      continue;
    }
    const bool twice = doubled && k + 1 < segment.size() && segment[k + 1] == separator;
    if (twice && !field.empty()) {
      field += separator;
      ++k;
      continue;
    }
    out.push_back(std::move(field));
    field.clear();
  }
  // Segments are filled with blanks or zeros up to where the data begin.
  const bool filling = field.find_first_not_of(std::string_view(" \t\r\n\0", 5)) == field.npos;
  if (!filling) out.push_back(std::move(field));
  return out;
}

FileKeywords pair_up(std::vector<std::string> fields) {
  FileKeywords out;
  for (std::size_t k = 0; k + 1 < fields.size(); k += 2) {
    out.emplace_back(std::move(fields[k]), std::move(fields[k + 1]));
  }
  return out;
}

std::ptrdiff_t count_standard(const FileKeywords& keywords) {
  return std::count_if(keywords.begin(), keywords.end(),
                       [](const auto& pair) { return pair.first.starts_with('$'); });
}

std::string as_utf8(const std::string& text) {
  if (code_points(text)) return text;
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xc0 | (byte >> 6));
      out += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return out;
}

char unused_separator(const FileKeywords& keywords) {
  const std::string_view candidates = "|/\\!^~\x0c\x1e\x1f\x01";
  for (const char c : candidates) {
    const bool used = std::any_of(keywords.begin(), keywords.end(), [&](const auto& pair) {
      return pair.first.find(c) != std::string::npos || pair.second.find(c) != std::string::npos;
    });
    if (!used) return c;
  }
  return candidates.front();
}

std::string doubled(const std::string& text, char separator) {
  std::string out;
  for (const char c : text) out.append(c == separator ? 2 : 1, c);
  return out;
}

}  // namespace

std::string upper_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

std::string channel_keyword(Index channel, std::string_view what) {
  return fmt::format("$P{}{}", channel, what);
}

FcsText::FcsText(const FileKeywords& keywords) {
  for (const auto& [keyword, value] : keywords) set(keyword, value);
}

const std::string* FcsText::find(std::string_view keyword) const {
  const auto place = places_.find(upper_case(keyword));
  return place == places_.end() ? nullptr : &keywords_[place->second].second;
}

void FcsText::set(const std::string& keyword, std::string value) {
  const auto [place, is_new] = places_.try_emplace(upper_case(keyword), keywords_.size());
  if (is_new) {
    keywords_.emplace_back(keyword, std::move(value));
  } else {
    keywords_[place->second].second = std::move(value);
  }
}

void FcsText::erase(std::string_view keyword) {
  const auto place = places_.find(upper_case(keyword));
  if (place == places_.end()) return;
  keywords_.erase(keywords_.begin() + static_cast<std::ptrdiff_t>(place->second));
  const FileKeywords rest = std::move(keywords_);
  *this = FcsText(rest);
}

void FcsText::rename(std::string_view keyword, const std::string& name) {
  const auto place = places_.find(upper_case(keyword));
  if (place == places_.end()) return;
  FileKeywords all = std::move(keywords_);
  all[place->second].first = name;
  *this = FcsText(all);
}

void FcsText::add_segment(std::string_view segment) {
  FileKeywords pairs = pair_up(split_segment(segment, true));
  FileKeywords with_empty = pair_up(split_segment(segment, false));
  if (count_standard(with_empty) > count_standard(pairs)) pairs = std::move(with_empty);
  for (const auto& [keyword, value] : pairs) {
    std::string name = as_utf8(std::string(without_blanks(keyword)));
    if (!name.empty() && find(name) == nullptr) set(name, as_utf8(value));
  }
}

std::string FcsText::segment() const {
  const char separator = unused_separator(keywords_);
  std::string out(1, separator);
  for (const auto& [keyword, value] : keywords_) {
    // A value must not be empty.
    const std::string text = value.empty() ? " " : value;
    out += doubled(keyword, separator) + separator + doubled(text, separator) + separator;
  }
  return out;
}

}  // namespace conflux

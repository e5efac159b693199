// The text segment of an FCS file: keywords with their values.

#pragma once

#include <map>
#include <string>
#include <string_view>

#include "conflux/tables/table.h"

namespace conflux {

class FcsText {
 public:
  FcsText() = default;
  explicit FcsText(const FileKeywords& keywords);

  /// Keywords are the same in upper and lower case; nullptr when there is none.
  const std::string* find(std::string_view keyword) const;
  /// Replaces a value, or adds the keyword behind all others.
  void set(const std::string& keyword, std::string value);
  void erase(std::string_view keyword);
  void rename(std::string_view keyword, const std::string& name);
  const FileKeywords& all() const { return keywords_; }

  /// Adds the keywords of a segment that are not known yet. A segment begins with the character
  /// that separates keywords and values. Within a value it is doubled; but many programs leave
  /// values empty, which looks the same: the reading that finds more standard keywords is taken.
  /// What is not UTF-8 is read as Latin-1.
  void add_segment(std::string_view segment);

  /// The segment again. The separator is a character that occurs nowhere else, if there is one.
  std::string segment() const;

 private:
  FileKeywords keywords_;
  std::map<std::string, std::size_t> places_;
};

/// "$P3N"
std::string channel_keyword(Index channel, std::string_view what);

std::string upper_case(std::string_view text);

}  // namespace conflux

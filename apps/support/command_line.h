// The words of a command line, taken apart. CLI11 is included by command_line.cc only.

#pragma once

#include <string>
#include <vector>

#include "support/flag.h"

namespace conflux::app {

/// The words that were given for a flag.
struct GivenFlag {
  const Flag* flag;
  std::vector<std::string> words;
};

/// Which of the flags were given, in the order of `flags`. Values are not looked at. Throws
/// InvalidOption for words that are no flag, with the nearest name, and for missing values.
std::vector<GivenFlag> parse_words(const std::vector<Flag>& flags,
                                   const std::vector<std::string>& words);

}  // namespace conflux::app

// Columns by pattern: "PC*", "gene?", and "PC1:PC20" for all from one to another.

#pragma once

#include <string>
#include <vector>

namespace conflux::app {

/// The names that the patterns stand for, each once, in the order of the patterns and then of
/// `names`. A name is its own pattern. Throws InvalidOption that calls the table by `source` for a
/// pattern that no name has.
std::vector<std::string> expand_patterns(const std::vector<std::string>& patterns,
                                         const std::vector<std::string>& names,
                                         const std::string& source);

}  // namespace conflux::app

// Columns by pattern: "PC*", "gene?", and "PC1:PC20" for all from one to another. And names that
// look like others.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "conflux/tables/table_groups.h"

namespace conflux {

/// The names that the patterns stand for, each once, in the order of the patterns and then of
/// `names`. A name is its own pattern. Throws InvalidOption that calls the table by `source` for a
/// pattern that no name has.
std::vector<std::string> expand_patterns(const std::vector<std::string>& patterns,
                                         const std::vector<std::string>& names,
                                         const std::string& source);

/// The first two of the names that differ by case or spaces only, as "m", "M" and "m " do; two
/// empty texts if there are none.
std::pair<std::string, std::string> names_alike(const std::vector<std::string>& names);

/// The first ten names, as a message shows them.
std::string names_text(const std::vector<std::string>& names);

}  // namespace conflux

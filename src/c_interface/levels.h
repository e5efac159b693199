// Columns of text for callers who pass numbers only: a cell is a position among the levels of its
// column, from 0, and NaN if it is missing.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "conflux/tables/table.h"

namespace conflux {

/// The texts of each such column.
using Levels = std::map<std::string, std::vector<std::string>>;

/// Positions become the texts that they stand for. Throws InvalidData for other numbers.
void spell(Table& table, const Levels& levels);

/// Texts become positions again. Columns that hold numbers stay what they are: in the shared space,
/// categories do.
void unspell(Table& table, const Levels& levels);

}  // namespace conflux

// Seeded noise that spreads out equal values.
//
// An increasing map takes equal values to equal values: a value that many rows share, an atom,
// cannot be given the spread that it has in another group. Noise narrower than the gap between
// values that repeat makes such features continuous and keeps the order of rows; rounding to the
// nearest of these values takes it off again.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conflux/tables/table.h"

namespace conflux {

/// The smallest gap between values that occur more than once; 0 when fewer than two do.
double jitter_width(std::span<const double> values);

struct JitteredColumn {
  std::string name;
  double width;
};

/// Adds noise to the named columns, uniform within half a width on either side; says which widths.
/// Missing values stay missing. Throws InvalidOption for a column that is not there or holds text.
std::vector<JitteredColumn> add_jitter(Table& table, std::span<const std::string> columns,
                                       std::uint64_t seed);

}  // namespace conflux

#include "options/held_out_rows.h"

#include <algorithm>
#include <cmath>

namespace conflux {

namespace {

// Multiplications and additions that one look at the rows may cost, and rows of all groups that it
// is worth.
constexpr double kBudget = 2e8;
constexpr Index kMostRows = 2000;
constexpr Index kFewestRowsPerGroup = 32;

}  // namespace

Index held_out_rows_per_group(Index dim, Index num_groups) {
  const double pool =
      std::min(std::sqrt(kBudget / static_cast<double>(dim)), static_cast<double>(kMostRows));
  return std::max(static_cast<Index>(pool) / num_groups, kFewestRowsPerGroup);
}

}  // namespace conflux

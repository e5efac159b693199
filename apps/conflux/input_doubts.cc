#include "input_doubts.h"

#include <fmt/format.h>

#include <algorithm>

#include "name_patterns.h"

namespace conflux::app {

namespace {

// Pixels of images, of which hundreds may be dark in one group only, would fill pages.
constexpr std::size_t kDoubtsTold = 3;

}  // namespace

void tell_doubts(const Columns& columns, const std::vector<std::string>& groups,
                 const Console& console) {
  const std::size_t told = std::min(columns.doubts.size(), kDoubtsTold);
  for (std::size_t i = 0; i < told; ++i) {
    const UnitDoubt& doubt = columns.doubts[i];
    console.warn(
        fmt::format("column \"{}\": the values of group \"{}\" {}; do they have the same unit?",
                    doubt.column, groups[static_cast<std::size_t>(doubt.group)], doubt.what));
  }
  if (columns.doubts.size() > told) {
    console.warn(fmt::format("{} more columns are as doubtful", columns.doubts.size() - told));
  }
  if (const auto [one, other] = names_alike(groups); !other.empty()) {
    console.warn(fmt::format(
        "groups \"{}\" and \"{}\" differ by case or spaces only; if they are one, spell them alike",
        one, other));
  }
}

}  // namespace conflux::app

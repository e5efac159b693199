#include "dataset/data_warnings.h"

#include <fmt/format.h>

#include <algorithm>

#include "dataset/messages.h"
#include "dataset/name_patterns.h"

namespace conflux {

namespace {

// Pixels of images, of which hundreds may be dark in one group only, would fill pages.
constexpr std::size_t kMostUnitWarnings = 3;

}  // namespace

void warn_about_data(const Columns& columns, const std::vector<std::string>& groups,
                     const MessageCallback& on_message) {
  const std::size_t shown = std::min(columns.doubts.size(), kMostUnitWarnings);
  for (std::size_t i = 0; i < shown; ++i) {
    const UnitDoubt& doubt = columns.doubts[i];
    warn(on_message,
         fmt::format("column \"{}\": the values of group \"{}\" {}; do they have the same unit?",
                     doubt.column, groups[static_cast<std::size_t>(doubt.group)], doubt.what));
  }
  if (columns.doubts.size() > shown) {
    warn(on_message,
         fmt::format("{} more columns have doubtful units", columns.doubts.size() - shown));
  }
  if (const auto [one, other] = names_alike(groups); !other.empty()) {
    warn(on_message, fmt::format("groups \"{}\" and \"{}\" differ by case or spaces only; if they "
                                 "are one group, spell them the same way",
                                 one, other));
  }
}

}  // namespace conflux

// How many rows of a group are taken at most. As text: a number, or `all`.

#pragma once

#include <limits>

#include "conflux/core/index.h"

namespace conflux {

struct RowLimit {
  static constexpr Index kAll = std::numeric_limits<Index>::max();

  RowLimit() = default;
  RowLimit(Index most) : rows(most) {}

  bool operator==(const RowLimit&) const = default;
  bool all() const { return rows == kAll; }

  Index rows = kAll;
};

}  // namespace conflux

// Figures that look at pairs of rows, all from one pass over their distances.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"

namespace conflux {

struct NearRows {
  /// Mean energy distance of a group to the others, over the mean distance within groups, and the
  /// value that 95 % of random permutations stay below. The estimate is unbiased: 0 is the mean
  /// over permutations.
  double energy = 0;
  double energy_by_chance = 0;
  /// The value that 5 % of random assignments stay below.
  double energy_low = 0;
  /// The same of each group, in the same unit, and the band of nine tenths of its random
  /// assignments.
  std::vector<double> energy_of_group = {};
  std::vector<double> group_low = {};
  std::vector<double> group_high = {};
  /// Share of labeled rows whose nearest labeled row of another group has the same label; NaN
  /// when there is none.
  double label_transfer = 0;
  /// The same for a random row instead of the nearest.
  double label_transfer_by_chance = 0;
};

/// Groups are numbered from 0; labels may be empty or -1.
NearRows look_at_pairs(ConstRows rows, const std::vector<Index>& group_of,
                       const std::vector<Index>& label_of, std::uint64_t seed,
                       const Workers& workers);

}  // namespace conflux

// Do groups differ at all? A test that must be passed before anything is aligned.
//
// Two tests share the error rate. The first compares distances between rows of ranks, within the
// groups, with those after the groups were dealt anew at random: it sees shifts and scales that
// many features share, and needs few rows. The second asks whether the group can be guessed
// (conflux/metrics/guessing.h), which sees single features and their interactions, and needs more
// rows. If the group of a row has nothing to do with the row, a difference is found with at most
// the probability `error_rate`.
//
// Cost: at most a thousand rows times themselves times the features, and a guess when the first
// test finds nothing.

#pragma once

#include <cstdint>
#include <optional>

#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "conflux/metrics/guessing.h"

namespace conflux {

struct GroupDifference {
  /// How probable distances within the groups as small as these are by chance.
  double distance_p = 1;
  /// Unset when the first test was enough, or when the groups are too many or too small.
  std::optional<Guess> guess = std::nullopt;
  bool found = false;
};

GroupDifference find_difference(const GroupSet& groups, double error_rate, std::uint64_t seed,
                                const Workers& workers);

}  // namespace conflux

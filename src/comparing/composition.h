// Do groups hold the same clusters? Clusters are labels, or are found by matching the groups.
//
// If the composition differs, layers that align whole groups move rows of one cluster onto another,
// and layers with a gate do not. This chooses the gate of a fit whose options leave it open.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "conflux/comparing/check.h"
#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "conflux/options/options.h"
#include "matching/matching.h"

namespace conflux {

struct Compositions {
  Matching matching = {};
  Composition clusters = {};
  std::optional<Composition> labels = std::nullopt;
  /// Fraction of the groups' rows near rows of another group.
  double overlap = 0;
};

/// Looks at some rows of each group. Shares of clusters are
/// compared with those of `permutations` random assignments of the rows. Labels that some rows have
/// steer the matching if they are to.
Compositions compare_compositions(const GroupSet& groups, Index permutations, std::uint64_t seed,
                                  bool by_labels, const Workers& workers);

/// "5 % of the rows"
std::string known_phrase(const KnownLabels& known);

/// Whether shares differ by more than chance, and by enough to do harm.
bool unlike(const Composition& composition);

/// Below, the rows cannot tell a shift from a difference in composition.
inline constexpr double kLeastOverlap = 0.5;

/// Whether layers should keep the clusters apart, and why.
struct GateChoice {
  bool gate = false;
  /// One sentence: the choice, its reason, and the effect of the other choice.
  std::string reason = {};
};

/// Chooses a gate if a group has separate clusters, and so have all groups together, unless groups
/// overlap and hold the same clusters in the same proportions.
GateChoice choose_gate(const Compositions& found);

/// The gate of a fit that leaves it open, with what was found; other gates stay what they are.
struct GateDecision {
  Gating gate = Gating::kNone;
  ClustersRecord clusters = {};
};

GateDecision decide_gate(const GroupSet& groups, const FitOptions& requested, Index processes,
                         const Workers& workers);

}  // namespace conflux

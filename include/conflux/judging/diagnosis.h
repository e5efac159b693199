// What can be said of groups before they are aligned.
//
// Is there a difference at all? The largest difference along any direction is compared with what
// it is when rows are dealt to the groups at random, the search included. How large is it, in which
// features and between which groups? Do groups hold the same kinds of rows in the same proportions?
// If not, an alignment of whole groups would make some kinds of rows look like others.
//
// Features are divided by their deviations within groups, so that differences are in units of them.
// Cost: one short search and one sort of every feature per permutation.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conflux/core/group_set.h"

namespace conflux {

struct DiagnosisOptions {
  /// Random deals that the groups are compared with; the smallest p-value is 1 / (deals + 1).
  Index deals = 99;
  /// Rows of each group at most, drawn by seed.
  Index max_rows = 500;
  std::uint64_t seed = 0;
  int threads = 0;
};

/// Something measured, and the value that 95 of 100 random deals stay below.
struct Difference {
  double value = 0;
  double by_chance = 0;
  double p_value = 1;

  bool beyond_chance() const { return value > by_chance; }
};

/// How groups are made up of kinds of rows.
struct Composition {
  std::vector<std::string> kinds;
  /// shares(m, c) is the fraction of group m that is of kind c.
  Matrix shares;
  /// Fraction of rows that would have to be of another kind to make the two groups that differ most
  /// alike.
  Difference difference;
};

struct PairOfGroups {
  Index a = 0;
  Index b = 0;
  /// Wasserstein distance along the direction where it is largest.
  double distance = 0;
};

struct Diagnosis {
  /// Rows of each group that were looked at.
  std::vector<Index> rows = {};
  /// Root mean square Wasserstein distance between groups along the direction where it is largest.
  Difference difference = {};
  /// The same along each feature. Chance is what the largest of all features has.
  std::vector<Difference> features = {};
  std::vector<PairOfGroups> pairs = {};
  /// Cells that k-means finds in all rows together.
  Composition cells = {};
  /// Of labelled rows.
  std::optional<Composition> labels = std::nullopt;
  /// Fraction of the groups' rows in cells that another group shares.
  double overlap = 1;
  /// Features of which one value holds more than a twentieth of the rows.
  std::vector<Index> features_with_atoms = {};
};

/// Throws InvalidData when there are not two groups of at least two rows.
Diagnosis diagnose(const GroupSet& groups, const DiagnosisOptions& options = {});

}  // namespace conflux

// Where do groups differ in one feature, given the others?
//
// Rows are sorted by the feature. Three functions of a row's rank (Legendre polynomials: location,
// scale, skewness) are compared between the groups: the sum of squared differences of their means,
// in units of their variance, has a chi-squared distribution with a degree of freedom per function
// and group beyond the first if the groups have the same distribution. A difference counts by its
// excess over twice its degrees of freedom (Akaike's price); less is within chance. The number of
// functions with the largest excess is used: a few rows determine the location of a group, and only
// many its skewness.
//
// A tree cuts the other features where the difference changes, and so finds interactions. It is
// grown beyond what is worth its price, because the first cut of an interaction shows nothing by
// itself, and pruned afterwards. Only ranks matter: increasing maps of features change nothing.
//
// Cost: rows x features per level of the tree; no sort but the first.

#pragma once

#include <cstdint>
#include <vector>

#include "conflux/core/matrix.h"
#include "conflux/core/parallel.h"
#include "flow/conditional_layer.h"

namespace conflux {

/// A leaf with fewer rows of a group does not use that group.
inline constexpr double kFewestOfLeaf = 20;
/// Expected value by chance, in units of the degrees of freedom.
inline constexpr double kPriceOfFreedom = 2;

/// A row on a line: rows are in increasing order of `value`.
struct RankedRow {
  double value;
  double mass;
  Index group;
};

struct Evidence {
  /// Chi-squared statistic over all functions.
  double chi_squared = 0;
  /// The mean of chi_squared if groups have the same distribution.
  double freedom = 0;
  /// How many functions, from the first on, tell most beyond their price; 0: chance explains all.
  int functions = 0;
  /// The part of it beyond chance.
  double worth = 0;
  /// Share of the squared difference in them that is not chance (a shrinkage factor as of James and
  /// Stein).
  double share = 0;
};

/// How far the groups differ on the line. Masses count rows: those of a group sum to as many rows
/// as it is worth.
Evidence find_evidence(const std::vector<RankedRow>& sorted, Index groups);

/// Rows of all groups, and which features may be cut.
struct EvidenceRows {
  Matrix rows;
  std::vector<Index> group;
  std::vector<double> mass;
};

/// Features in few bins of equal mass: where a cut may lie.
class BinnedRows {
 public:
  /// Bins the features of `features` only; others are never cut.
  BinnedRows(const EvidenceRows& data, const std::vector<Index>& features, const Workers& workers);

  const EvidenceRows& data() const { return data_; }
  Index num_cuts(Index feature) const { return static_cast<Index>(cuts_[feature].size()); }
  /// Rows in bins up to number `bin` lie below it.
  double cut(Index feature, Index bin) const { return cuts_[feature][bin]; }
  std::uint8_t bin(Index feature, Index row) const { return bins_[feature][row]; }
  /// Bin of each row.
  const std::vector<std::uint8_t>& bins(Index feature) const { return bins_[feature]; }

 private:
  const EvidenceRows& data_;
  std::vector<std::vector<double>> cuts_;
  std::vector<std::vector<std::uint8_t>> bins_;
};

struct ConditionalTree {
  Index moved = 0;
  std::vector<ConditionalLayer::Node> nodes = {};
  /// Sum over the leaves, less the price of the cuts; 0: no difference beyond chance.
  double worth = 0;
};

/// The tree of at most `leaves` leaves for feature `moved` that cuts some of `features`.
ConditionalTree grow_conditional_tree(const BinnedRows& rows, Index moved,
                                      const std::vector<Index>& features, Index groups,
                                      Index leaves);

}  // namespace conflux

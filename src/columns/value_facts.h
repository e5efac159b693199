// Facts about the values of one column, group by group.

#pragma once

#include <span>
#include <vector>

#include "conflux/columns/columns.h"

namespace conflux {

/// A value, and the share of each group's rows that have it.
struct ValueShare {
  double value = 0;
  std::vector<double> shares;

  double largest() const;
};

struct ValueFacts {
  /// Values of each group in increasing order, missing ones left out; of long columns a sample.
  std::vector<std::vector<double>> sorted;
  std::vector<Interval> ranges;
  Index missing = 0;
  /// The fewest decimals that all values can be written with; -1 when more than kMostDecimals.
  int decimals = -1;
  /// Values that occur more than once in the sample, increasing. Empty when there are too many of
  /// them to be atoms.
  std::vector<ValueShare> repeated;
  /// Share of the rows of all groups whose value occurs more than once.
  double repeated_share = 0;
  /// Whether every row has another value.
  bool all_different = false;
  Interval range = {};

  Index num_groups() const { return static_cast<Index>(sorted.size()); }
};

/// groups[i] is the group of values[i]; NaN is missing.
ValueFacts value_facts(std::span<const double> values, std::span<const Index> groups,
                       Index num_groups);

/// The facts of a feature's curved values, from those of the values themselves.
ValueFacts curved_facts_of(const Feature& feature, ValueFacts facts);

/// The width of the middle of each group's values, in units of a standard deviation, over all
/// groups. Heavy tails and atoms do not move it; 0 only when all groups are constant.
double spread_within_groups(const ValueFacts& facts);

/// The standard deviation of the values of all groups together.
double deviation(const ValueFacts& facts);

/// How many spreads the furthest thousandth of the values is away from the median.
double tail_weight(const ValueFacts& facts);

/// All different values of each group, increasing, or nothing if a group has more than `most`.
std::vector<std::vector<double>> different_values(std::span<const double> values,
                                                  std::span<const Index> groups, Index num_groups,
                                                  Index most);

}  // namespace conflux

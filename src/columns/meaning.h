// Type, unit and support of one column of a table.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "columns/value_facts.h"
#include "conflux/columns/find_columns.h"

namespace conflux {

struct Meaning {
  /// Everything but its scale and what groups hold.
  Feature feature;
  /// Numbers, or positions among the categories.
  std::vector<double> values;
  ValueFacts facts;
  /// Facts of the arcsinh of the values, if the feature has a cofactor.
  ValueFacts curved_facts;
  /// Not empty: the column is no feature.
  std::string why_carried;

  /// Those of what is scaled.
  const ValueFacts& scale_facts() const { return feature.cofactor > 0 ? curved_facts : facts; }
  /// Whether nearly every value is one that repeats, so that no other should be made up.
  bool only_repeated() const;
  /// Largest share of a group's rows that one value has.
  double largest_share() const;
};

/// Throws InvalidData for a cell that is no number in a column of numbers.
Meaning meaning_of(const Table& table, const Column& column, std::span<const Index> groups,
                   Index num_groups, const ColumnOptions& options);

}  // namespace conflux

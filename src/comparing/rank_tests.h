// Does one feature differ between groups? A test on its ranks.
//
// Ranks are turned into Legendre polynomials of degrees 1 to 3, so that a difference in place, in
// scale and in lopsidedness is seen; a sum of squares compares their means over the groups with the
// variance that these have over all assignments of the rows to the groups (a Kruskal-Wallis test of
// several scores, Puri and Sen 1971), ties included. Values as such do not count: heavy tails and
// outliers weigh no more than other rows, and an increasing map changes nothing.
//
// The sum follows a chi-square law closely unless nearly all rows share one value; then a bound
// that holds for any number of rows (Bernstein's) replaces it.
//
// Cost: one sort.

#pragma once

#include <span>
#include <vector>

#include "conflux/core/index.h"

namespace conflux {

/// Probability that groups assigned at random differ as much as these or more. 1 for a feature that
/// has one value only. Groups are numbered from 0.
double rank_test(std::span<const double> values, std::span<const Index> group_of, Index groups);

/// For each p-value the smallest share of false findings at which it is named: those with at most q
/// are, on average, false in a share q of all cases (Benjamini and Hochberg 1995).
std::vector<double> false_discovery_rates(std::span<const double> p_values);

}  // namespace conflux

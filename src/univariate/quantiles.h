// Small summaries of samples on the line, and equal-mass knots from them.
//
// A summary keeps at most `capacity` points: the sample itself when it is small, otherwise the
// means of equal-mass bins. Summaries of several processes merge into one. Equal-mass bins nest, so
// knots taken from the summary of a single process equal the knots of the sample, up to rounding,
// whenever the capacity is a multiple of the number of knots.
//
// Cost: linear in the sample, which must be sorted.

#pragma once

#include <span>
#include <vector>

#include "conflux/core/index.h"

namespace conflux {

struct QuantileSummary {
  /// Increasing, with the mass that each stands for.
  std::vector<double> values;
  std::vector<double> masses;
  /// Smallest and largest value of the sample; empty samples have min > max.
  double min = 1;
  double max = 0;

  bool empty() const { return values.empty(); }
};

/// Summary of increasing `values`; `masses` is empty when every value counts 1. Values without mass
/// are left out.
QuantileSummary summarize(std::span<const double> values, std::span<const double> masses,
                          Index capacity);

/// The same for values in single precision that all count 1.
QuantileSummary summarize(std::span<const float> values, Index capacity);

/// One summary of all parts together.
QuantileSummary merge(std::span<const QuantileSummary> parts);

/// Cuts the mass into `bins` equal parts and returns the mean of each, in increasing order. A value
/// whose mass crosses a cut counts on both sides.
std::vector<double> equal_mass_means(const QuantileSummary& summary, Index bins);

}  // namespace conflux

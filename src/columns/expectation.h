// Missing coordinates of a row, expected from those that are there.
//
// A group's coordinates are taken for Gaussian. The mean of the missing ones given the others is
// then a linear regression, and mean and covariance themselves are estimated from incomplete rows
// by the EM algorithm. Small groups lean on what all groups have in common.

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "conflux/columns/columns.h"

namespace conflux {

/// More features than this are not regressed on each other: a missing one has its group's mean.
inline constexpr Index kMostRegressed = 200;

/// One expectation per group. Missing coordinates are NaN.
std::vector<ExpectedRow> fit_expectations(std::span<const Matrix> groups);

/// The expectation of one more group, drawn towards `common` the more the fewer rows it has.
ExpectedRow fit_expectation(const Matrix& rows, const ExpectedRow& common);

/// The mean of several expectations.
ExpectedRow common_expectation(std::span<const ExpectedRow> groups);

/// The features of a row that are missing, and those that are not.
struct Pattern {
  std::vector<Index> missing;
  std::vector<Index> there;
};

struct Regression {
  Pattern pattern;
  Matrix slopes;    // missing x there
  Matrix residual;  // covariance of what the regression leaves
};

/// The regressions that were needed so far, one per pattern of missing cells.
class Regressions {
 public:
  /// `expected` must outlive this.
  explicit Regressions(const ExpectedRow& expected) : expected_(expected) {}

  /// References stay valid.
  const Regression& of(const double* row, Index dim);

 private:
  const ExpectedRow& expected_;
  std::map<std::vector<Index>, Regression> known_;
};

/// The missing coordinates of a row, in the order of the pattern.
Vector expected_missing(const ExpectedRow& expected, const Regression& regression,
                        const double* row);

/// Replaces NaN by the expected value.
void fill_expected(const ExpectedRow& expected, Rows rows);

/// Replaces NaN by a draw around the expected value, from the stream of its row, which names[i]
/// tells.
void draw_expected(const ExpectedRow& expected, Rows rows, std::span<const std::uint64_t> names,
                   std::uint64_t seed);

}  // namespace conflux

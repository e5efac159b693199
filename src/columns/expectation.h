// Missing coordinates of a row, expected from those that are there.
//
// A group's coordinates are taken for Gaussian. The mean of the missing ones given the others is
// then a linear regression, and mean and covariance themselves are estimated from incomplete rows
// by the EM algorithm. Small groups lean on what all groups have in common.

#pragma once

#include <cstdint>
#include <span>

#include "conflux/columns/columns.h"

namespace conflux {

/// More features than this are not regressed on each other: a missing one has its group's mean.
inline constexpr Index kMostRegressed = 200;

/// One expectation per group. Missing coordinates are NaN.
std::vector<ExpectedRow> fit_expectations(std::span<const Matrix> groups);

/// That of one more group. `common` is what small groups lean on.
ExpectedRow fit_expectation(const Matrix& rows, const ExpectedRow& common);

/// The mean of several expectations.
ExpectedRow common_expectation(std::span<const ExpectedRow> groups);

/// Replaces NaN by the expected value.
void fill_expected(const ExpectedRow& expected, Rows rows);

/// Replaces NaN by a draw around the expected value, from the stream of its row. positions[i] tells
/// the stream of row i.
void draw_expected(const ExpectedRow& expected, Rows rows, std::span<const Index> positions,
                   std::uint64_t seed);

}  // namespace conflux

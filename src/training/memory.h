// How much memory a fit needs, before it is started.

#pragma once

#include <string>

#include "conflux/options/options.h"

namespace conflux {

/// Bytes at the peak of a fit of all these rows, as measured within 15 % (docs/results/scale.md):
/// the rows as given (in single precision if `single`), the moved rows, lists of rows, the program,
/// and the state of the method's layers, such as a matrix of all pairs of features per group for gb
/// and dd. Throws InvalidOption when the options do not suit the data.
double memory_needed(const DataShape& data, bool single, const FitOptions& options);

/// The same with rows on disk (FitControl::scratch), which the caller has mapped there: the line
/// of one group that each thread sorts remains, beside kResidentRows bytes of pages.
double memory_needed_on_disk(const DataShape& data, bool single, const FitOptions& options);
/// Pages of rows are let go beyond this.
inline constexpr double kResidentRows = 45e6;

/// Bytes of disk for the moved rows and their projections.
double scratch_needed(const DataShape& data, bool single, const FitOptions& options);

/// Whether all layers of the method walk through the rows and keep none: sliced ones, those of
/// features and affine ones, without gates.
bool can_use_scratch(const FitOptions& options);
/// Whether processes can fit all rows where they are: the same layers need no more of the rows of
/// others than sums, a few of them, and values on lines.
bool rows_can_stay(const FitOptions& options);
/// The methods that can, for messages.
std::string methods_with_scratch();

}  // namespace conflux

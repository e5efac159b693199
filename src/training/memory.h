// How much memory a fit needs, before it is started.

#pragma once

#include "conflux/options/options.h"

namespace conflux {

/// Bytes at the peak of a fit of all these rows, as measured within 15 % (docs/results/scale.md):
/// the rows as they came (in single precision if `single`), the rows on their way, lists of rows,
/// the program, and what the method's layers keep, such as a matrix of all pairs of features per
/// group for gb and dd. Throws InvalidOption when the options do not suit the data.
double memory_needed(const DataShape& data, bool single, const FitOptions& options);

}  // namespace conflux

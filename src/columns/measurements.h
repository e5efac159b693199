// Whether a table holds measurements or facts about people and things.

#pragma once

#include "conflux/columns/columns.h"

namespace conflux {

/// True if no feature is a category and the features are many (kManyFeatures), or fewer than half
/// of them have a value that many rows share. Decides what FitOptions::goal `auto` means.
bool looks_like_measurements(const Columns& columns);

/// Tables of so many numeric features (genes, pixels, wavelengths) are measurements, ties or not.
inline constexpr Index kManyFeatures = 30;

}  // namespace conflux

// Whether the features of a table have one unit, and the scales that follow.

#pragma once

#include <span>
#include <string>

#include "columns/meaning.h"

namespace conflux {

/// Whether features have common smallest and largest values, and correlate with their neighbors.
bool are_pixels(std::span<const Meaning> meanings);

/// Sets the scale of every feature; returns one sentence on what was chosen and why.
std::string choose_scales(std::span<Meaning> meanings, ScaleChoice choice);

/// Groups whose values of a feature are a large multiple of those of the others, or far away from
/// them for how little they vary: as degrees and kelvins, or grams and kilograms, are.
std::vector<UnitDoubt> doubts_about_units(std::span<const Meaning> meanings);

}  // namespace conflux
